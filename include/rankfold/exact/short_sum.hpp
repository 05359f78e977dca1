// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The short record of an exact sum: six consecutive words of the wide one. A window starts at the lowest word
// that is not 0, so that it holds every sum whose bits lie within 160 powers of two, wherever they are; a
// record that does not says so (`outside`), and the sum is in the wide record instead.
#pragma once

#include "rankfold/config.hpp"

#include <cstdint>

namespace rankfold::exact {

/// Words of the wide record of a sum of numbers.
inline constexpr int wide_words = 68;

/// What is known of the elements of a sum, beside its value. Facts of two sums are joined by `|`.
namespace fact {
inline constexpr std::uint32_t some = 1;           ///< there was an element
inline constexpr std::uint32_t not_minus_zero = 2; ///< one that was not -0
inline constexpr std::uint32_t nan = 4;
inline constexpr std::uint32_t plus_infinity = 8;
inline constexpr std::uint32_t minus_infinity = 16;
} // namespace fact

/// Records travel as they are: all words are of the same byte order on all ranks.
struct short_sum {
    static constexpr int words = 6;

    /// The sum in units of 2^(32 * base) of the wide record's, in two's complement, lowest word first.
    std::uint32_t word[words]{};
    /// Facts; 0 where nothing was summed.
    std::uint16_t facts = 0;
    std::uint8_t base = 0;
    /// Not 0: the sum is not here, but in the wide record.
    std::uint8_t outside = 0;

    /// Takes the sum from the digits of a wide one, of which all but the upmost are in [0, 2^32).
    /// @param first  the place of digit[0] in the wide sum
    /// @return false, and nothing is changed, where it does not fit
    RANKFOLD_HOST_DEVICE constexpr bool take(const std::int64_t* digit, int digits, int first)
    {
        int low = 0;
        while (low < digits - words && digit[low] == 0) {
            ++low;
        }
        // The words above the window must repeat the sign of its last one.
        const auto last = static_cast<std::int32_t>(static_cast<std::uint32_t>(digit[low + words - 1]));
        const std::int64_t sign = last < 0 ? 0xffffffff : 0;
        for (int i = low + words; i < digits - 1; ++i) {
            if (digit[i] != sign) {
                return false;
            }
        }
        const std::int64_t top = low + words == digits ? last : last < 0 ? -1 : 0;
        if (digit[digits - 1] != top) {
            return false;
        }
        for (int i = 0; i < words; ++i) {
            word[i] = static_cast<std::uint32_t>(digit[low + i]);
        }
        base = static_cast<std::uint8_t>(first + low);
        return true;
    }

    /// Adds the words to digits, of which digit[0] stands at `first`.
    RANKFOLD_HOST_DEVICE constexpr void add_to(std::int64_t* digit, int first) const
    {
        for (int i = 0; i < words - 1; ++i) {
            digit[base - first + i] += word[i];
        }
        digit[base - first + words - 1] += static_cast<std::int32_t>(word[words - 1]);
    }

    [[nodiscard]] RANKFOLD_HOST_DEVICE constexpr bool is_zero() const
    {
        std::uint32_t any = 0;
        for (const std::uint32_t w : word) {
            any |= w;
        }
        return any == 0;
    }
};
static_assert(sizeof(short_sum) == 28);

namespace detail {

/// Carries between digits in units of 2^32: all but the upmost end in [0, 2^32).
RANKFOLD_HOST_DEVICE constexpr void carry(std::int64_t* digit, int digits)
{
    std::int64_t over = 0;
    for (int i = 0; i < digits - 1; ++i) {
        const std::int64_t sum = digit[i] + over;
        digit[i] = sum & 0xffffffff;
        over = sum >> 32;
    }
    digit[digits - 1] += over;
}

} // namespace detail

/// Adds `right` to `left`, exactly, whatever their windows.
/// @return false, and `left` is as before, where one window does not hold the sum or one of them is outside:
/// then both belong into a wide record
[[nodiscard]] RANKFOLD_HOST_DEVICE constexpr bool merge(short_sum& left, const short_sum& right)
{
    if (left.outside != 0 || right.outside != 0) {
        return false;
    }
    const auto facts = static_cast<std::uint16_t>(left.facts | right.facts);
    short_sum joined = left.is_zero() ? right : left;
    if (!left.is_zero() && !right.is_zero()) {
        const int first = left.base < right.base ? left.base : right.base;
        if (left.base - first >= short_sum::words || right.base - first >= short_sum::words) {
            return false; // the lowest words alone are too far apart
        }
        std::int64_t digit[2 * short_sum::words]{};
        const int above = wide_words - first; // no window reaches further
        const int digits = above < 2 * short_sum::words ? above : 2 * short_sum::words;
        left.add_to(digit, first);
        right.add_to(digit, first);
        detail::carry(digit, digits);
        if (!joined.take(digit, digits, first)) {
            return false;
        }
    }
    left = joined;
    left.facts = facts;
    return true;
}

} // namespace rankfold::exact
