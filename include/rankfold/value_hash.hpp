// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Hashes by which ranks tell whether they mean the same. Of values, never of bytes that are none: padding,
// the sign of a zero and the payload of a NaN do not count.
#pragma once

#include "rankfold/types.hpp"

#include <bit>
#include <concepts>
#include <limits>
#include <string_view>
#include <typeinfo>

namespace rankfold::detail {

template <class T>
concept has_fingerprint = requires(const T& x)
{
    {
        x.fingerprint()
        } -> std::convertible_to<std::uint64_t>;
};

/// FNV-1a (Fowler, Noll, Vo 1991), continued from `hash`.
constexpr std::uint64_t hash_of_text(std::string_view text, std::uint64_t hash = 0xcbf29ce484222325)
{
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    return hash;
}
constexpr std::uint64_t hash_of_number(std::uint64_t number, std::uint64_t hash)
{
    for (int byte = 0; byte < 8; ++byte) {
        hash = (hash ^ (number >> 8 * byte & 0xff)) * 0x100000001b3;
    }
    return hash;
}

/// Of a type that the library has no name for; else 0, and so without run-time type information. The name is
/// that of the C++ ABI, on which compilers agree.
template <class T>
std::uint64_t hash_of_type()
{
#if defined(__cpp_rtti)
    return element_type_of<kernel_type_t<T>> == element_type::user ? hash_of_text(typeid(T).name()) : 0;
#else
    return 0;
#endif
}

/// Of a value of any element type. A user's type is told apart by its member `std::uint64_t fingerprint()
/// const`, else by its bytes where all of them are value, else not at all.
template <class T>
std::uint64_t hash_of_value(const T& value, std::uint64_t hash = 0xcbf29ce484222325)
{
    if constexpr (std::is_integral_v<T>) {
        return hash_of_number(static_cast<std::uint64_t>(value), hash);
    } else if constexpr (std::is_floating_point_v<T> || is_half<T>) {
        const auto number = static_cast<double>(static_cast<std::conditional_t<is_half<T>, float, T>>(value));
        const double same = number != number ? std::numeric_limits<double>::quiet_NaN() : number + 0.0;
        return hash_of_number(std::bit_cast<std::uint64_t>(same), hash);
    } else if constexpr (has_fingerprint<T>) {
        return hash_of_number(value.fingerprint(), hash);
    } else if constexpr (std::has_unique_object_representations_v<T>) {
        return hash_of_text({reinterpret_cast<const char*>(&value), sizeof value}, hash);
    } else {
        return hash;
    }
}
template <class T>
std::uint64_t hash_of_value(const std::complex<T>& value, std::uint64_t hash = 0xcbf29ce484222325)
{
    return hash_of_value(value.imag(), hash_of_value(value.real(), hash));
}
template <class T>
std::uint64_t hash_of_value(const complex<T>& value, std::uint64_t hash = 0xcbf29ce484222325)
{
    return hash_of_value(value.im, hash_of_value(value.re, hash));
}
template <class T>
std::uint64_t hash_of_value(const affine_map<T>& value, std::uint64_t hash = 0xcbf29ce484222325)
{
    return hash_of_value(value.b, hash_of_value(value.a, hash));
}
template <class T>
std::uint64_t hash_of_value(const located<T>& value, std::uint64_t hash = 0xcbf29ce484222325)
{
    return hash_of_value(value.index, hash_of_value(value.value, hash));
}

/// 32 bits of a hash, never 0: that stands for nothing to compare.
constexpr std::uint32_t short_hash(std::uint64_t hash)
{
    const auto folded = static_cast<std::uint32_t>(hash ^ hash >> 32);
    return folded != 0 ? folded : 1;
}

} // namespace rankfold::detail
