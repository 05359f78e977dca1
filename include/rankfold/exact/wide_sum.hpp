// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The exact sum of any finite number of floating numbers, or of their products, rounded once.
//
// A sum is an integer in units of the smallest number there is (of the smallest product), cut into digits of
// 32 bits with fixed places. Digits are signed 64-bit integers, so that a number is added to the two or three
// that it touches and carries wait; adding and merging are integer additions, hence exact in any order.
// What cannot be a digit (NaN, infinities, the sign of zero) is kept as facts.
//
// Source: U. Kulisch, "Computer Arithmetic and Validity", 2008, section 8; R. Neal, "Fast exact summation
// using small and large superaccumulators", 2015, section 2.
#pragma once

#include "rankfold/exact/binary.hpp"
#include "rankfold/exact/short_sum.hpp"

namespace rankfold::exact {

/// @tparam LowestExponent  that of the unit
/// @tparam Words           32-bit words of the record: the bits of the largest term, and 64 more at least for
///                         sign and carries of 2^63 terms
template <int LowestExponent, int Words>
class wide_sum {
public:
    static constexpr int words = Words;
    /// As it travels: the words of the sum in two's complement, lowest first, and the facts.
    struct record {
        std::uint32_t word[Words];
        std::uint32_t facts;
    };

    /// One more element.
    template <class T>
    RANKFOLD_HOST_DEVICE constexpr void add(T x)
    {
        const parts p = parts_of(x);
        facts_ |= fact::some;
        if (!p.finite) {
            note_not_finite(p.negative, p.significand != 0);
        } else if (p.significand != 0) {
            add_magnitude(p.negative, p.significand, 0, p.exponent);
        } else if (!p.negative) {
            facts_ |= fact::not_minus_zero;
        }
    }

    /// One more element: x * y, without rounding, overflow or underflow.
    RANKFOLD_HOST_DEVICE constexpr void add_product(double x, double y)
    {
        const parts p = parts_of(x);
        const parts q = parts_of(y);
        const bool negative = p.negative != q.negative;
        facts_ |= fact::some;
        if (!p.finite || !q.finite) {
            const bool x_is_zero = p.finite && p.significand == 0;
            const bool y_is_zero = q.finite && q.significand == 0;
            const bool any_nan = (!p.finite && p.significand != 0) || (!q.finite && q.significand != 0);
            note_not_finite(negative, any_nan || x_is_zero || y_is_zero);
        } else if (p.significand != 0 && q.significand != 0) {
            constexpr std::uint64_t half = 0xffffffff;
            const std::uint64_t low = (p.significand & half) * (q.significand & half);
            const std::uint64_t cross = (p.significand >> 32) * (q.significand & half) +
                                        (p.significand & half) * (q.significand >> 32) +
                                        (low >> 32); // 54 bits
            const std::uint64_t high = (p.significand >> 32) * (q.significand >> 32) + (cross >> 32);
            add_magnitude(negative, cross << 32 | (low & half), high, p.exponent + q.exponent);
        } else if (!negative) {
            facts_ |= fact::not_minus_zero;
        }
    }

    /// Everything that went into another sum.
    RANKFOLD_HOST_DEVICE constexpr void merge(wide_sum right)
    {
        right.settle();
        for (int i = 0; i < Words; ++i) {
            digit_[i] += right.digit_[i];
        }
        count_one();
        facts_ |= right.facts_;
    }
    RANKFOLD_HOST_DEVICE constexpr void merge(const record& right)
    {
        for (int i = 0; i < Words - 1; ++i) {
            digit_[i] += right.word[i];
        }
        digit_[Words - 1] += static_cast<std::int32_t>(right.word[Words - 1]);
        count_one();
        facts_ |= right.facts;
    }
    /// A short record that is not outside.
    RANKFOLD_HOST_DEVICE constexpr void merge(const short_sum& right)
    {
        right.add_to(digit_, 0);
        count_one();
        facts_ |= right.facts;
    }

    /// Elements that were summed elsewhere, or that count nothing: what is known of them.
    RANKFOLD_HOST_DEVICE constexpr void note(std::uint32_t facts) { facts_ |= facts; }
    [[nodiscard]] RANKFOLD_HOST_DEVICE constexpr std::uint32_t facts() const { return facts_; }

    [[nodiscard]] RANKFOLD_HOST_DEVICE constexpr record to_record()
    {
        settle();
        record result{};
        for (int i = 0; i < Words; ++i) {
            result.word[i] = static_cast<std::uint32_t>(digit_[i]);
        }
        result.facts = facts_;
        return result;
    }

    /// The short record; `outside`, with the facts alone, where no window holds the sum.
    [[nodiscard]] RANKFOLD_HOST_DEVICE constexpr short_sum to_short()
    {
        static_assert(Words == wide_words, "windows are placed in sums of numbers");
        settle();
        short_sum result;
        result.outside = result.take(digit_, Words, 0) ? 0 : 1;
        result.facts = static_cast<std::uint16_t>(facts_);
        return result;
    }

    /// The sum, rounded once, ties to even. A NaN or infinities of both signs give the canonical NaN, those
    /// of one sign that infinity; a zero is +0, unless all elements were -0 and there was one.
    template <class T>
    [[nodiscard]] RANKFOLD_HOST_DEVICE constexpr T lower()
    {
        constexpr std::uint32_t both = fact::plus_infinity | fact::minus_infinity;
        if ((facts_ & fact::nan) != 0 || (facts_ & both) == both) {
            return quiet_nan<T>();
        }
        if ((facts_ & both) != 0) {
            return infinity<T>((facts_ & fact::minus_infinity) != 0);
        }
        settle();
        int low = 0;
        while (low < Words && digit_[low] == 0) {
            ++low;
        }
        if (low == Words) {
            return detail::from_bits<T>(facts_ == fact::some, 0);
        }
        const bool negative = digit_[Words - 1] < 0;
        int high = Words - 1;
        while (magnitude(high, low, negative) == 0) {
            --high;
        }
        const std::uint64_t upper = magnitude(high, low, negative);
        const std::uint64_t middle = magnitude(high - 1, low, negative);
        const std::uint64_t beneath = magnitude(high - 2, low, negative);
        const int shift = detail::leading_zeros(upper) - 32;
        const std::uint64_t leading = (upper << 32 | middle) << shift | beneath << shift >> 32;
        const bool more = low < high - 2 || ((beneath << shift) & 0xffffffff) != 0;
        return rounded<T>(negative, leading, LowestExponent + 32 * high + 31 - shift, more);
    }

private:
    /// Terms between two settlements: each changes a digit by less than 2^32, so that 2^30 would do.
    static constexpr std::int32_t most_unsettled = 1 << 20;

    RANKFOLD_HOST_DEVICE constexpr void note_not_finite(bool negative, bool nan)
    {
        facts_ |= fact::not_minus_zero | (nan        ? fact::nan
                                          : negative ? fact::minus_infinity
                                                     : fact::plus_infinity);
    }

    /// Adds (-1)^negative * (high * 2^64 + low) * 2^exponent; the magnitude is not 0.
    RANKFOLD_HOST_DEVICE constexpr void add_magnitude(bool negative, std::uint64_t low, std::uint64_t high,
                                                      int exponent)
    {
        constexpr std::uint64_t word = 0xffffffff;
        const int place = exponent - LowestExponent;
        const int shift = place % 32;
        std::int64_t* at = digit_ + place / 32;
        const std::int64_t sign = negative ? -1 : 1;
        std::uint64_t rest = (low & word) << shift;
        at[0] += sign * static_cast<std::int64_t>(rest & word);
        rest = (rest >> 32) + ((low >> 32) << shift);
        at[1] += sign * static_cast<std::int64_t>(rest & word);
        rest = (rest >> 32) + ((high & word) << shift);
        at[2] += sign * static_cast<std::int64_t>(rest & word);
        if (high != 0) {
            rest = (rest >> 32) + ((high >> 32) << shift);
            at[3] += sign * static_cast<std::int64_t>(rest & word);
            at[4] += sign * static_cast<std::int64_t>(rest >> 32);
        }
        facts_ |= fact::not_minus_zero;
        count_one();
    }

    RANKFOLD_HOST_DEVICE constexpr void count_one()
    {
        if (++unsettled_ == most_unsettled) {
            settle();
        }
    }

    /// All digits but the upmost into [0, 2^32): the one way to write the sum.
    RANKFOLD_HOST_DEVICE constexpr void settle()
    {
        if (unsettled_ != 0) {
            detail::carry(digit_, Words);
            unsettled_ = 0;
        }
    }

    /// Word `i` of the magnitude of a settled sum, of which `low` is the lowest word that is not 0.
    [[nodiscard]] RANKFOLD_HOST_DEVICE constexpr std::uint64_t magnitude(int i, int low, bool negative) const
    {
        if (i < low) {
            return 0;
        }
        const auto word = static_cast<std::uint32_t>(digit_[i]);
        return !negative ? word : i == low ? 0U - word : ~word;
    }

    std::int64_t digit_[Words]{};
    std::int32_t unsettled_ = 0;
    std::uint32_t facts_ = 0;
};

/// Sums of numbers of any floating type: 2^-1074 to 2^1024.
using sum_of_numbers = wide_sum<-1074, wide_words>;
static_assert(sizeof(sum_of_numbers::record) == 276);

/// Sums of products of two doubles: 2^-2148 to 2^2048.
using sum_of_products = wide_sum<-2148, 135>;
static_assert(sizeof(sum_of_products::record) == 544);

} // namespace rankfold::exact
