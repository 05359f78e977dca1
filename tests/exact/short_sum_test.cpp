// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The short record of exact sums: it holds the sum or says that it does not, and windows are merged exactly.
#include "rankfold/exact/wide_sum.hpp"
#include "support/exact_sum.hpp"
#include "support/expect.hpp"
#include "support/hard_sums.hpp"

#include <gtest/gtest.h>

namespace rankfold::test {
namespace {

using exact::short_sum;
using exact::sum_of_numbers;

sum_of_numbers sum_up(const std::vector<double>& values)
{
    sum_of_numbers sum;
    for (const double x : values) {
        sum.add(x);
    }
    return sum;
}

/// A short record's sum by itself.
double value_of(const short_sum& record)
{
    sum_of_numbers sum;
    sum.merge(record);
    return sum.lower<double>();
}

TEST(ShortSum, HoldsTheSumOrSaysThatItDoesNot)
{
    int outside = 0;
    for (const hard_case& c : hard_sums(21)) {
        const short_sum record = sum_up(c.values).to_short();
        if (record.outside == 0) {
            EXPECT_TRUE(same_bits(value_of(record), exact_sum_of<double>(c.values))) << c.name;
        }
        outside += record.outside;
    }
    EXPECT_GT(outside, 0);
}

TEST(ShortSum, HoldsWhatLiesWithin160PowersOfTwo)
{
    for (const double sign : {1.0, -1.0}) {
        for (int top = -1074 + 159; top <= 1023; ++top) {
            const double high = sign * std::ldexp(1.0, top);
            const double low = std::ldexp(1.0, top - 159);
            for (const double lowest : {low, -low}) {
                const short_sum record = sum_up({high, lowest}).to_short();
                ASSERT_EQ(record.outside, 0) << high << " " << lowest;
                sum_of_numbers rest;
                rest.merge(record);
                rest.add(-high);
                ASSERT_EQ(rest.lower<double>(), lowest) << high;
            }
        }
    }
}

TEST(ShortSum, IsOutsideBeyondSixWords)
{
    for (int top = -1074 + 192; top <= 1023; ++top) {
        const double low = std::ldexp(1.0, top - 192);
        EXPECT_NE(sum_up({std::ldexp(1.0, top), low}).to_short().outside, 0) << top;
        EXPECT_NE(sum_up({-std::ldexp(1.0, top), low}).to_short().outside, 0) << top;
    }
}

TEST(ShortSum, MergesWindowsExactlyOrNotAtAll)
{
    std::mt19937_64 random(22);
    int merged = 0;
    int refused = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        const int top = static_cast<int>(random() % 2000) - 1000;
        const int distance = static_cast<int>(random() % 260) - 130;
        const std::vector<double> x = spread_numbers<double>(random, 3, 60, top);
        std::vector<double> y = spread_numbers<double>(random, 3, 60, std::min(top + distance, 1020));
        if (trial % 5 == 0) { // down to little
            y = {-x[0], -x[1], -x[2], std::ldexp(1.0, std::max(top - 90, -1074))};
        }
        short_sum left = sum_up(x).to_short();
        const short_sum before = left;
        const short_sum right = sum_up(y).to_short();
        ASSERT_EQ(left.outside + right.outside, 0);
        sum_of_numbers both = sum_up(x);
        both.merge(sum_up(y));
        const short_sum expected = both.to_short();

        const bool fits = merge(left, right);

        ASSERT_EQ(fits, expected.outside == 0) << top << " " << distance;
        ASSERT_TRUE(same_bits(left, fits ? expected : before)) << top << " " << distance;
        (fits ? merged : refused) += 1;
    }
    EXPECT_GT(merged, 1000);
    EXPECT_GT(refused, 1000);
}

TEST(ShortSum, MergesWithNothingAndWithZeros)
{
    const std::vector<std::vector<double>> pieces{{}, {0.0}, {-0.0}, {1.0, -1.0}, {0x1p1000}, {-0x1p-1074}};
    for (const auto& x : pieces) {
        for (const auto& y : pieces) {
            std::vector<double> both = x;
            both.insert(both.end(), y.begin(), y.end());
            short_sum left = sum_up(x).to_short();
            if (merge(left, sum_up(y).to_short())) {
                EXPECT_TRUE(same_bits(value_of(left), exact_sum_of<double>(both)));
            } else {
                EXPECT_NE(sum_up(both).to_short().outside, 0);
            }
        }
    }
}

TEST(ShortSum, IsNotMergedWithWhatIsOutside)
{
    const short_sum apart = sum_up({0x1p1000, 0x1p-1000}).to_short();
    short_sum one = sum_up({1.0}).to_short();
    short_sum other = apart;
    EXPECT_FALSE(merge(one, apart));
    EXPECT_FALSE(merge(other, one));
    EXPECT_TRUE(same_bits(other, apart));
}

} // namespace
} // namespace rankfold::test
