// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The right answer of a floating sum, or of a sum of products: exact, rounded once. It shares nothing with
// the library: signs apart, numbers taken apart by frexp, and rounding told bit by bit.
#pragma once

#include "rankfold/float16.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace rankfold::test {

/// A natural number times 2^-2200: room for products of the smallest doubles.
class big_natural {
public:
    static constexpr int lowest_exponent = -2200;

    /// Adds `significand` * 2^exponent.
    void add(std::uint64_t significand, int exponent)
    {
        for (int bit = 0; significand >> bit != 0; ++bit) {
            if ((significand >> bit & 1) != 0) {
                add_bit(static_cast<std::size_t>(exponent - lowest_exponent + bit));
            }
        }
    }
    [[nodiscard]] bool bit(std::int64_t place) const
    {
        const auto word = static_cast<std::size_t>(place / 16);
        return place >= 0 && word < words_.size() && (words_[word] >> (place % 16) & 1) != 0;
    }
    /// Places up to the upmost bit; 0 of zero.
    [[nodiscard]] std::int64_t length() const
    {
        std::int64_t place = static_cast<std::int64_t>(words_.size()) * 16;
        while (place > 0 && !bit(place - 1)) {
            --place;
        }
        return place;
    }
    [[nodiscard]] bool less(const big_natural& other) const
    {
        for (std::int64_t place = std::max(length(), other.length()) - 1; place >= 0; --place) {
            if (bit(place) != other.bit(place)) {
                return other.bit(place);
            }
        }
        return false;
    }
    /// Takes away a number that is not larger.
    void subtract(const big_natural& other)
    {
        int borrow = 0;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            int word = words_[i] - borrow - (i < other.words_.size() ? other.words_[i] : 0);
            borrow = word < 0 ? 1 : 0;
            words_[i] = static_cast<std::uint16_t>(word + borrow * 65536);
        }
    }

private:
    void add_bit(std::size_t place)
    {
        if (words_.size() <= place / 16) {
            words_.resize(place / 16 + 1);
        }
        std::uint32_t carry = std::uint32_t{1} << (place % 16);
        for (std::size_t i = place / 16; carry != 0; ++i) {
            if (i == words_.size()) {
                words_.push_back(0);
            }
            const std::uint32_t sum = words_[i] + carry;
            words_[i] = static_cast<std::uint16_t>(sum);
            carry = sum >> 16;
        }
    }
    std::vector<std::uint16_t> words_;
};

/// What rounding must know of a type.
template <class T>
struct number_range {
    static constexpr int digits = std::numeric_limits<T>::digits;
    static constexpr int lowest = std::numeric_limits<T>::min_exponent - digits; ///< exponent of the smallest
};
template <>
struct number_range<float16> {
    static constexpr int digits = 11;
    static constexpr int lowest = -24;
};
template <>
struct number_range<bfloat16> {
    static constexpr int digits = 8;
    static constexpr int lowest = -133;
};

/// `x` as a T that it is exactly, or beyond all T an infinity.
template <class T>
[[nodiscard]] T number_of(double x)
{
    if constexpr (std::is_same_v<T, double>) {
        return x;
    } else {
        return T(static_cast<float>(x));
    }
}

/// The sum of what was added, exactly.
class exact_sum {
public:
    void add(double x)
    {
        count_not_minus_zero_ += x != 0 || !std::signbit(x);
        ++count_;
        if (std::isfinite(x)) {
            int exponent = 0;
            const double fraction = std::frexp(std::fabs(x), &exponent);
            side(std::signbit(x)).add(static_cast<std::uint64_t>(std::ldexp(fraction, 53)), exponent - 53);
        } else {
            special_ += x; // IEEE arithmetic knows what infinities add up to
        }
    }
    void add_product(double x, double y)
    {
        if (!std::isfinite(x) || !std::isfinite(y) || x == 0 || y == 0) {
            return add(x * y);
        }
        ++count_not_minus_zero_;
        ++count_;
        int exponent_x = 0;
        int exponent_y = 0;
        const auto a = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::fabs(x), &exponent_x), 53));
        const auto b = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::fabs(y), &exponent_y), 53));
        for (int bit = 0; bit < 53; ++bit) { // multiplied as on paper
            if ((b >> bit & 1) != 0) {
                side(std::signbit(x) != std::signbit(y)).add(a, exponent_x + exponent_y - 106 + bit);
            }
        }
    }

    template <class T>
    [[nodiscard]] T rounded() const
    {
        if (special_ != 0) {
            // A NaN as the library promises it: quiet, positive.
            return number_of<T>(std::isnan(special_) ? std::numeric_limits<double>::quiet_NaN() : special_);
        }
        const bool negative = plus_.less(minus_);
        big_natural magnitude = negative ? minus_ : plus_;
        magnitude.subtract(negative ? plus_ : minus_);
        const std::int64_t length = magnitude.length();
        if (length == 0) {
            return number_of<T>(count_ > 0 && count_not_minus_zero_ == 0 ? -0.0 : 0.0);
        }
        // The lowest place that the result keeps.
        const std::int64_t unit = std::max<std::int64_t>(
            length - number_range<T>::digits, number_range<T>::lowest - big_natural::lowest_exponent);
        std::int64_t kept = 0;
        for (std::int64_t place = length - 1; place >= unit; --place) {
            kept = 2 * kept + (magnitude.bit(place) ? 1 : 0);
        }
        bool below_half = false;
        for (std::int64_t place = unit - 2; place >= 0 && !below_half; --place) {
            below_half = magnitude.bit(place);
        }
        if (magnitude.bit(unit - 1) && (below_half || kept % 2 != 0)) {
            ++kept;
        }
        const double result =
            std::ldexp(static_cast<double>(kept), static_cast<int>(unit) + big_natural::lowest_exponent);
        return number_of<T>(negative ? -result : result);
    }

private:
    big_natural& side(bool negative) { return negative ? minus_ : plus_; }

    big_natural plus_;
    big_natural minus_;
    double special_ = 0;
    std::int64_t count_ = 0;
    std::int64_t count_not_minus_zero_ = 0;
};

/// The exact sum of a range, rounded to T.
template <class T, class Range>
[[nodiscard]] T exact_sum_of(const Range& values)
{
    exact_sum sum;
    for (const auto& x : values) {
        sum.add(static_cast<double>(x));
    }
    return sum.rounded<T>();
}

} // namespace rankfold::test
