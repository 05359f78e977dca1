// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Floating numbers taken apart and put together: what exact sums know of binary16, bfloat16, binary32 and
// binary64. Integer arithmetic only, so that neither rounding modes nor flushed subnormals matter.
#pragma once

#include "rankfold/float16.hpp"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace rankfold::exact {

/// A format: its bits as an integer, its precision with the leading bit, the exponent of its largest numbers.
template <class T>
struct format;
template <>
struct format<float16> {
    using bits = std::uint16_t;
    static constexpr int precision = 11;
    static constexpr int max_exponent = 15;
};
template <>
struct format<bfloat16> {
    using bits = std::uint16_t;
    static constexpr int precision = 8;
    static constexpr int max_exponent = 127;
};
template <>
struct format<float> {
    using bits = std::uint32_t;
    static constexpr int precision = 24;
    static constexpr int max_exponent = 127;
};
template <>
struct format<double> {
    using bits = std::uint64_t;
    static constexpr int precision = 53;
    static constexpr int max_exponent = 1023;
};

namespace detail {

template <class T>
RANKFOLD_HOST_DEVICE constexpr typename format<T>::bits bits_of(T x)
{
    if constexpr (std::is_floating_point_v<T>) {
        return __builtin_bit_cast(typename format<T>::bits, x);
    } else {
        return x.bits;
    }
}

/// A number from its magnitude as bits, of which one carried into the exponent is one too many is infinite.
template <class T>
RANKFOLD_HOST_DEVICE constexpr T from_bits(bool negative, std::uint64_t magnitude)
{
    using bits = typename format<T>::bits;
    const auto sign = static_cast<bits>(static_cast<bits>(negative) << (8 * sizeof(bits) - 1));
    if constexpr (std::is_floating_point_v<T>) {
        return __builtin_bit_cast(T, static_cast<bits>(sign | static_cast<bits>(magnitude)));
    } else {
        T x{};
        x.bits = static_cast<bits>(sign | static_cast<bits>(magnitude));
        return x;
    }
}

template <class T>
inline constexpr std::uint64_t infinite_bits = static_cast<std::uint64_t>(2 * format<T>::max_exponent + 1)
                                               << (format<T>::precision - 1);

/// Of a number that is not 0.
RANKFOLD_HOST_DEVICE constexpr int leading_zeros(std::uint64_t x)
{
#if defined(__CUDA_ARCH__)
    return __clzll(static_cast<long long>(x));
#else
    return std::countl_zero(x);
#endif
}

} // namespace detail

/// (-1)^negative * significand * 2^exponent, or no such number.
struct parts {
    std::uint64_t significand;
    int exponent;
    bool negative;
    bool finite; ///< false: an infinity where the significand is 0, else a NaN
};

template <class T>
RANKFOLD_HOST_DEVICE constexpr parts parts_of(T x)
{
    constexpr int fraction_bits = format<T>::precision - 1;
    constexpr int bias = format<T>::max_exponent;
    const std::uint64_t bits = detail::bits_of(x);
    const bool negative = (bits >> (8 * sizeof(T) - 1)) != 0;
    const int field = static_cast<int>(bits >> fraction_bits) & (2 * bias + 1);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
    if (field == 2 * bias + 1) {
        return {fraction, 0, negative, false};
    }
    const std::uint64_t leading = static_cast<std::uint64_t>(field != 0) << fraction_bits;
    return {fraction | leading, (field == 0 ? 1 : field) - bias - fraction_bits, negative, true};
}

template <class T>
RANKFOLD_HOST_DEVICE constexpr T infinity(bool negative)
{
    return detail::from_bits<T>(negative, detail::infinite_bits<T>);
}

/// The canonical quiet NaN: that of numeric_limits, for 16-bit types that of NVIDIA.
template <class T>
RANKFOLD_HOST_DEVICE constexpr T quiet_nan()
{
    constexpr std::uint64_t fraction =
        std::is_floating_point_v<T> ? std::uint64_t{1} << (format<T>::precision - 2) : std::uint64_t{0x7fff};
    return detail::from_bits<T>(false, detail::infinite_bits<T> | fraction);
}

/// The number closest to (-1)^negative * (leading + a little) * 2^(exponent - 63), ties to even.
/// @param leading   the upmost 64 bits of the magnitude; bit 63 is set
/// @param exponent  that of bit 63
/// @param more      the magnitude has bits below those
template <class T>
RANKFOLD_HOST_DEVICE constexpr T rounded(bool negative, std::uint64_t leading, int exponent, bool more)
{
    constexpr int precision = format<T>::precision;
    constexpr int min_exponent = 1 - format<T>::max_exponent;
    if (exponent > format<T>::max_exponent) {
        return infinity<T>(negative);
    }
    const bool subnormal = exponent < min_exponent;
    const int dropped = 64 - precision + (subnormal ? min_exponent - exponent : 0);
    if (dropped > 64) {
        return detail::from_bits<T>(negative, 0);
    }
    const std::uint64_t kept = dropped == 64 ? 0 : leading >> dropped;
    const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
    const std::uint64_t rest = leading & (2 * half - 1); // 2 * half is 0 where all 64 are dropped
    const bool up = rest > half || (rest == half && (more || (kept & 1) != 0));
    const std::uint64_t field = subnormal ? 0 : static_cast<std::uint64_t>(exponent - min_exponent);
    // The leading bit of a normal number counts one up in the exponent, as does a carry out of the fraction:
    // beyond the largest number that makes an infinity.
    return detail::from_bits<T>(negative, (field << (precision - 1)) + kept + (up ? 1 : 0));
}

} // namespace rankfold::exact
