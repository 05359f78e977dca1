// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers in either byte order.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace field_stats {

template <class T>
[[nodiscard]] T swap_bytes(T value) noexcept
{
    static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);
    if constexpr (sizeof(T) == 2) {
        return std::bit_cast<T>(__builtin_bswap16(std::bit_cast<std::uint16_t>(value)));
    } else if constexpr (sizeof(T) == 4) {
        return std::bit_cast<T>(__builtin_bswap32(std::bit_cast<std::uint32_t>(value)));
    } else {
        return std::bit_cast<T>(__builtin_bswap64(std::bit_cast<std::uint64_t>(value)));
    }
}

/// The number at `from`, which need not be aligned. A float that passes through memory keeps every bit of a
/// NaN.
template <class T>
[[nodiscard]] T load(const std::byte* from, std::endian endian) noexcept
{
    using bits = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
    bits value;
    std::memcpy(&value, from, sizeof value);
    return std::bit_cast<T>(endian == std::endian::native ? value : swap_bytes(value));
}

/// Turns numbers read in the order `endian` into numbers of this machine, or the other way round.
template <class T>
void to_native(std::span<T> values, std::endian endian) noexcept
{
    if (endian == std::endian::native) {
        return;
    }
    for (T& value : values) {
        value = swap_bytes(value);
    }
}

} // namespace field_stats
