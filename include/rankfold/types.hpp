// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The element types, and how a C++ type is recognised as one of them.
#pragma once

#include "rankfold/config.hpp"
#include "rankfold/float16.hpp"

#include <complex>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace rankfold {

/// A complex number as the kernels see it: layout of std::complex<T>, alignment of T.
template <class T>
struct complex {
    T re;
    T im;
    friend RANKFOLD_HOST_DEVICE constexpr bool operator==(const complex&, const complex&) = default;
};

/// The map x -> a x + b. The operator `affine` composes maps: the left one is applied first.
template <class T>
struct affine_map {
    T a;
    T b;
    friend RANKFOLD_HOST_DEVICE constexpr bool operator==(const affine_map&, const affine_map&) = default;
};

/// An extreme value and the global index of its first occurrence; index -1 where the array is empty.
template <class T>
struct located {
    T value;
    std::int64_t index;
    friend constexpr bool operator==(const located&, const located&) = default;
};

/// The names of the element types; the values travel in fingerprints.
enum class element_type : std::uint8_t {
    none,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float16,
    bfloat16,
    float32,
    float64,
    complex64,
    complex128,
    affine_int64,
    affine_float32,
    affine_float64,
    user,
};

/// The name as text: "float32".
[[nodiscard]] std::string_view to_string(element_type type) noexcept;

template <class T>
inline constexpr element_type element_type_of = element_type::user;
template <>
inline constexpr element_type element_type_of<void> = element_type::none;

#define RANKFOLD_ELEMENT(type, name)                                                                         \
    template <>                                                                                              \
    inline constexpr element_type element_type_of<type> = element_type::name;
RANKFOLD_ELEMENT(std::int8_t, int8)
RANKFOLD_ELEMENT(std::int16_t, int16)
RANKFOLD_ELEMENT(std::int32_t, int32)
RANKFOLD_ELEMENT(std::int64_t, int64)
RANKFOLD_ELEMENT(std::uint8_t, uint8)
RANKFOLD_ELEMENT(std::uint16_t, uint16)
RANKFOLD_ELEMENT(std::uint32_t, uint32)
RANKFOLD_ELEMENT(std::uint64_t, uint64)
RANKFOLD_ELEMENT(float16, float16)
RANKFOLD_ELEMENT(bfloat16, bfloat16)
RANKFOLD_ELEMENT(float, float32)
RANKFOLD_ELEMENT(double, float64)
RANKFOLD_ELEMENT(complex<float>, complex64)
RANKFOLD_ELEMENT(complex<double>, complex128)
RANKFOLD_ELEMENT(affine_map<std::int64_t>, affine_int64)
RANKFOLD_ELEMENT(affine_map<float>, affine_float32)
RANKFOLD_ELEMENT(affine_map<double>, affine_float64)
#undef RANKFOLD_ELEMENT

namespace detail {

template <class T>
struct kernel_type {
    using type = T;
};
template <class T>
struct kernel_type<std::complex<T>> {
    using type = complex<T>;
};
// `long long` and `long` are both 64 bits wide; the kernels know one of them.
template <>
struct kernel_type<long long> {
    using type = std::int64_t;
};
template <>
struct kernel_type<unsigned long long> {
    using type = std::uint64_t;
};
template <class T>
struct kernel_type<affine_map<T>> {
    using type = affine_map<typename kernel_type<T>::type>;
};
template <class T>
struct kernel_type<located<T>> {
    using type = located<typename kernel_type<T>::type>;
};

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<complex<T>> = true;
template <class T>
inline constexpr bool is_affine = false;
template <class T>
inline constexpr bool is_affine<affine_map<T>> = true;
template <class T>
inline constexpr bool is_half = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;
template <class T>
inline constexpr bool is_floating = std::is_same_v<T, float> || std::is_same_v<T, double> || is_half<T>;
/// Not bool, not characters, not __int128: what a sum of those is differs from library to library.
template <class T>
inline constexpr bool is_integer =
    std::is_integral_v<T>&& element_type_of<typename kernel_type<T>::type> != element_type::user;

} // namespace detail

/// The type by which the kernels know T: std::complex<T> becomes complex<T>, `long long` std::int64_t (also
/// inside affine_map and located), anything else stays. Of the same size and alignment, and the same bytes.
template <class T>
using kernel_type_t = typename detail::kernel_type<std::remove_cv_t<T>>::type;

} // namespace rankfold
