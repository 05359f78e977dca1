// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A chunk of numbers added exactly by floating arithmetic, where their bits fit a window of few bins.
//
//   1. A bin counts in units, bin k in those of 2^(top - width * (k + 1)), where |x| < 2^top. To 1.5 * 2^52
//   units
//      (1.5 * 2^23 of float bins) x is added: the sum y is rounded to whole units, what the bin takes is y
//      less that, and the rest of x is exact.
//   2. What is left of x after the last bin must be 0: all rests are joined by OR, and looked at once.
//   3. The largest magnitude is noted; where it was beyond the window, nothing of this counts.
//
// Double bins go on from y. Float bins have no room for that: the bits of all y are added as integers.
//
// Source: S. Rump, T. Ogita, S. Oishi, "Accurate floating-point summation", 2008 (ExtractVector); J. Demmel,
// H. Nguyen, "Fast reproducible floating-point summation", 2013.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace rankfold::host::detail {

/// Numbers of a chunk: a double bin takes 2^51 units, 2^42 of each of 2^8 numbers, and then some; a float bin
/// 2^31, 2^22 of each of 2^8.
inline constexpr std::int64_t chunk_numbers = 2048;
inline constexpr int double_bin_bits = 42;
inline constexpr int float_bin_bits = 22;
inline constexpr int float_bins = 2;
/// Numbers of a step. A chunk is padded with zeros to whole steps.
inline constexpr std::int64_t step_numbers = 8;
/// How far ahead memory is asked for: the prefetcher of the processor keeps a loop as long as this one
/// waiting.
inline constexpr std::int64_t prefetch_bytes = 4096;

/// Bounds of `top`: below, the last unit would not be a number; above, what a bin starts from.
template <int Bins>
inline constexpr int lowest_top = double_bin_bits* Bins - 1074;
inline constexpr int highest_top = 1023 - 52 + double_bin_bits;
inline constexpr int lowest_float_top = float_bin_bits * float_bins - 149;
inline constexpr int highest_float_top = 127 - 23 + float_bin_bits;

/// Index 0 is of the numbers at even places, 1 of those at odd ones.
template <int Bins>
struct window_sums {
    double bin[Bins][2];
    int top[2];              ///< the least exponent with |x| < 2^top, of normal numbers
    bool may_all_be_zero[2]; ///< if not, one is not
    bool fits;               ///< nothing was left below the window
};

// Vectors of 32 bytes: one register with AVX2, two elsewhere.
using doubles [[gnu::vector_size(32)]] = double;
using words [[gnu::vector_size(32)]] = std::int64_t;
using floats [[gnu::vector_size(32)]] = float;
using short_words [[gnu::vector_size(32)]] = std::int32_t;
using modulo_words [[gnu::vector_size(32)]] = std::uint32_t; // sums of these wrap
using four_floats [[gnu::vector_size(16)]] = float;

[[gnu::always_inline]] inline void load(const double* x, doubles& v)
{
    std::memcpy(&v, x, sizeof v);
}
[[gnu::always_inline]] inline void load(const float* x, doubles& v)
{
    four_floats narrow;
    std::memcpy(&narrow, x, sizeof narrow);
    v = __builtin_convertvector(narrow, doubles);
}

template <class T>
[[gnu::always_inline]] inline void prefetch(const T* x)
{
    __builtin_prefetch(reinterpret_cast<const char*>(x) + prefetch_bytes);
}

[[gnu::always_inline]] inline void note_highest(short_words& highest, const short_words& magnitude)
{
    highest = magnitude > highest ? magnitude : highest;
}

/// @param highest  the upper 32 bits of a magnitude
template <int Bins>
void set_top(window_sums<Bins>& result, int place, std::int32_t highest, int fraction_bits, int bias)
{
    result.top[place] = (highest >> fraction_bits) + 1 - bias;
    result.may_all_be_zero[place] = highest == 0;
}

template <int Bins>
[[gnu::always_inline]] inline void take(doubles (&bin)[Bins], doubles& v)
{
    for (int k = 0; k < Bins; ++k) {
        const doubles y = bin[k] + v;
        v -= y - bin[k];
        bin[k] = y;
    }
}

/// @param count  whole steps, at most a chunk
/// @param top    lowest_top to highest_top
template <int Bins, class T>
[[gnu::always_inline]] inline void add_in_doubles(const T* x, std::int64_t count, int top,
                                                  window_sums<Bins>& result)
{
    constexpr words magnitude{INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    doubles start[Bins];
    doubles left[Bins];
    doubles right[Bins];
    for (int k = 0; k < Bins; ++k) {
        const double units = std::ldexp(1.5, 52 + top - double_bin_bits * (k + 1));
        start[k] = left[k] = right[k] = doubles{units, units, units, units};
    }
    words rest{};
    short_words highest{};
    for (std::int64_t i = 0; i < count; i += step_numbers) {
        doubles v;
        doubles w;
        prefetch(x + i);
        load(x + i, v);
        load(x + i + step_numbers / 2, w);
        note_highest(highest, (short_words)((words)v & magnitude));
        note_highest(highest, (short_words)((words)w & magnitude));
        take(left, v);
        take(right, w);
        rest |= (words)v | (words)w;
    }
    for (int k = 0; k < Bins; ++k) {
        const doubles sum = (left[k] - start[k]) + (right[k] - start[k]);
        result.bin[k][0] = sum[0] + sum[2];
        result.bin[k][1] = sum[1] + sum[3];
    }
    for (int place = 0; place < 2; ++place) { // upper halves stand at odd places
        const std::int32_t a = highest[2 * place + 1];
        const std::int32_t b = highest[2 * place + 5];
        set_top(result, place, a > b ? a : b, 20, 1023);
    }
    rest &= magnitude; // a rest may be -0
    result.fits = (rest[0] | rest[1] | rest[2] | rest[3]) == 0;
}

/// @param count  whole steps, at most a chunk
/// @param top    lowest_float_top to highest_float_top
[[gnu::always_inline]] inline void add_in_floats(const float* x, std::int64_t count, int top,
                                                 window_sums<float_bins>& result)
{
    const short_words magnitude = short_words{} + INT32_MAX;
    floats start[float_bins];
    modulo_words bin[float_bins]{};
    for (int k = 0; k < float_bins; ++k) {
        start[k] = floats{} + std::ldexp(1.5F, 23 + top - float_bin_bits * (k + 1));
    }
    short_words rest{};
    short_words highest{};
    for (std::int64_t i = 0; i < count; i += step_numbers) {
        floats v;
        prefetch(x + i);
        std::memcpy(&v, x + i, sizeof v);
        note_highest(highest, (short_words)v & magnitude);
        for (int k = 0; k < float_bins; ++k) {
            const floats y = v + start[k];
            bin[k] += (modulo_words)y;
            v -= y - start[k];
        }
        rest |= (short_words)v;
    }
    const auto steps = static_cast<std::uint32_t>(count / step_numbers);
    for (int k = 0; k < float_bins; ++k) {
        bin[k] -= (modulo_words)start[k] * steps;
        const auto units = (short_words)bin[k];
        for (int place = 0; place < 2; ++place) {
            const std::int64_t sum =
                std::int64_t{units[place]} + units[place + 2] + units[place + 4] + units[place + 6];
            result.bin[k][place] = std::ldexp(static_cast<double>(sum), top - float_bin_bits * (k + 1));
        }
    }
    std::int32_t any = 0;
    for (int place = 0; place < 2; ++place) {
        std::int32_t most = 0;
        for (int lane = place; lane < step_numbers; lane += 2) {
            most = most > highest[lane] ? most : highest[lane];
            any |= rest[lane];
        }
        set_top(result, place, most, 23, 127);
    }
    result.fits = (any & INT32_MAX) == 0; // a rest may be -0
}

} // namespace rankfold::host::detail
