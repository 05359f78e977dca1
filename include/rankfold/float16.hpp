// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The 16-bit floating types: storage and conversion, no arithmetic (sums are accumulated in float).
// Layouts are those of CUDA's __half and __nv_bfloat16 and of C++23's std::float16_t and std::bfloat16_t.
#pragma once

#include "rankfold/config.hpp"

#include <cstdint>

namespace rankfold {
namespace detail {

#if defined(__CUDA_ARCH__)
RANKFOLD_HOST_DEVICE inline float half_to_float(std::uint16_t bits)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}
// To pairs: of one alone ptxas 13.0 makes a slower instruction, and takes its low byte from what it was
// converted from where that was an integer.
RANKFOLD_HOST_DEVICE inline std::uint16_t float_to_half(float value)
{
    std::uint32_t pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(0.0F), "f"(value));
    return static_cast<std::uint16_t>(pair);
}
RANKFOLD_HOST_DEVICE inline std::uint16_t float_to_bfloat(float value)
{
    std::uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(0.0F), "f"(value));
    return static_cast<std::uint16_t>(pair);
}
#else
RANKFOLD_HOST_DEVICE constexpr float half_to_float(std::uint16_t bits)
{
    const std::uint32_t sign = (bits & 0x8000u) << 16;
    const std::uint32_t magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00u) { // infinity, NaN
        return __builtin_bit_cast(float, sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
    }
    // Re-bias the exponent by an exact multiplication, which also normalises subnormal numbers.
    return __builtin_bit_cast(
        float,
        sign | __builtin_bit_cast(std::uint32_t, __builtin_bit_cast(float, magnitude << 13) * 0x1p112f));
}
RANKFOLD_HOST_DEVICE constexpr std::uint16_t float_to_half(float value)
{
    const auto bits = __builtin_bit_cast(std::uint32_t, value);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return 0x7fff; // NVIDIA's canonical NaN, as cvt.rn.f16.f32 gives it
    }
    if (magnitude >= 0x477ff000u) { // rounds to 65536 or more
        return sign | 0x7c00u;
    }
    if (magnitude < 0x38800000u) { // subnormal in half: let the addition of 0.5 round to units of 2^-24
        const float rounded = __builtin_bit_cast(float, magnitude) + 0.5F;
        return static_cast<std::uint16_t>(sign | (__builtin_bit_cast(std::uint32_t, rounded) - 0x3f000000u));
    }
    const std::uint32_t odd = magnitude >> 13 & 1u; // ties to even
    return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
}
RANKFOLD_HOST_DEVICE constexpr std::uint16_t float_to_bfloat(float value)
{
    const auto bits = __builtin_bit_cast(std::uint32_t, value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return 0x7fff;
    }
    return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16); // ties to even
}
#endif

} // namespace detail

/// IEEE 754 binary16.
struct float16 {
    std::uint16_t bits;

    float16() = default;
    RANKFOLD_HOST_DEVICE explicit constexpr float16(float value) : bits(detail::float_to_half(value)) {}
    RANKFOLD_HOST_DEVICE constexpr operator float() const { return detail::half_to_float(bits); }
};

/// The upper half of a binary32.
struct bfloat16 {
    std::uint16_t bits;

    bfloat16() = default;
    RANKFOLD_HOST_DEVICE explicit constexpr bfloat16(float value) : bits(detail::float_to_bfloat(value)) {}
    RANKFOLD_HOST_DEVICE constexpr operator float() const
    {
        return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
    }
};

static_assert(sizeof(float16) == 2 && sizeof(bfloat16) == 2);

} // namespace rankfold
