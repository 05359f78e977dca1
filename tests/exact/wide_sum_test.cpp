// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The wide record of exact sums: any order, any partition, every result type.
#include "rankfold/exact/wide_sum.hpp"
#include "support/exact_sum.hpp"
#include "support/expect.hpp"
#include "support/hard_sums.hpp"

#include <gtest/gtest.h>

namespace rankfold::test {
namespace {

using exact::sum_of_numbers;
using exact::sum_of_products;

template <class T>
sum_of_numbers sum_up(const std::vector<T>& values)
{
    sum_of_numbers sum;
    for (const T x : values) {
        sum.add(x);
    }
    return sum;
}

TEST(WideSum, IsRoundedOnceInEveryOrder)
{
    std::mt19937_64 random(11);
    for (hard_case& c : hard_sums(12)) {
        const auto expected = exact_sum_of<double>(c.values);
        for (int order = 0; order < 3; ++order) {
            EXPECT_TRUE(same_bits(sum_up(c.values).lower<double>(), expected)) << c.name;
            std::shuffle(c.values.begin(), c.values.end(), random);
        }
    }
}

TEST(WideSum, IsTheSameRecordInEveryPartition)
{
    std::mt19937_64 random(13);
    for (const hard_case& c : hard_sums(14)) {
        const auto whole = sum_up(c.values).to_record();
        sum_of_numbers merged;
        sum_of_numbers joined;
        for (std::size_t at = 0; at < c.values.size();) {
            const std::size_t end = std::min(at + random() % 100, c.values.size()); // some are empty
            const std::vector<double> piece(c.values.begin() + static_cast<std::ptrdiff_t>(at),
                                            c.values.begin() + static_cast<std::ptrdiff_t>(end));
            joined.merge(sum_up(piece));
            merged.merge(sum_up(piece).to_record());
            at = end;
        }
        EXPECT_TRUE(same_bits(merged.to_record(), whole)) << c.name;
        EXPECT_TRUE(same_bits(joined.to_record(), whole)) << c.name;
    }
}

template <class T>
void expect_rounded_to(const hard_case& c)
{
    EXPECT_TRUE(same_bits(sum_up(c.values).template lower<T>(), exact_sum_of<T>(c.values))) << c.name;
}

TEST(WideSum, IsRoundedToEveryResultType)
{
    std::mt19937_64 random(15);
    std::vector<hard_case> cases = hard_sums(16);
    // Around the ends of the narrow types, with ties of theirs.
    for (const int top : {17, 16, 2, -13, -20, -24, 129, 128, -125, -132, -148}) {
        for (const int powers : {2, 9, 30}) {
            cases.push_back({"top " + std::to_string(top), spread_numbers<double>(random, 3, powers, top)});
        }
    }
    for (const int digits : {8, 11, 24}) {
        for (const double odd : {0.0, 1.0}) {
            for (const double far : {0.0, 0x1p-900, -0x1p-900}) {
                const double unit = std::ldexp(1.0, 1 - digits);
                cases.push_back({"a tie of " + std::to_string(digits), {1 + odd * unit, unit / 2, far}});
            }
        }
    }
    for (const double beyond : {65519.0, 65520.0, 65536.0, 0x1.ffp127, 0x1.ffffffp127, 0x1p128, 0x1p-25,
                                0x1.8p-25, 0x1p-134, 0x1.8p-134, 0x1p-150, 0x1.8p-150}) {
        cases.push_back({"end", {beyond}});
        cases.push_back({"past the end", {-beyond, -0x1p-1000}});
    }
    for (const hard_case& c : cases) {
        expect_rounded_to<double>(c);
        expect_rounded_to<float>(c);
        expect_rounded_to<float16>(c);
        expect_rounded_to<bfloat16>(c);
    }
}

template <class T>
void expect_every_number_back()
{
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        T x;
        x.bits = static_cast<std::uint16_t>(bits);
        const float value = x;
        sum_of_numbers sum;
        sum.add(x);
        if (std::isnan(value)) {
            EXPECT_EQ(sum.lower<T>().bits, 0x7fff);
        } else {
            ASSERT_EQ(sum.lower<T>().bits, bits);
            ASSERT_TRUE(same_bits(sum.lower<double>(), static_cast<double>(value))) << value;
        }
    }
}

TEST(WideSum, OfOneNumberIsThatNumber)
{
    expect_every_number_back<float16>();
    expect_every_number_back<bfloat16>();
}

TEST(WideSum, KnowsSpecialNumbers)
{
    for (const double x : special_numbers()) {
        for (const double y : special_numbers()) {
            const std::vector<double> pair{x, y};
            sum_of_numbers apart = sum_up<double>({x});
            apart.merge(sum_up<double>({y}).to_record());
            EXPECT_TRUE(same_bits(sum_up(pair).lower<double>(), exact_sum_of<double>(pair))) << x << " " << y;
            EXPECT_TRUE(same_bits(apart.lower<double>(), exact_sum_of<double>(pair))) << x << " " << y;
            EXPECT_TRUE(same_bits(apart.lower<float>(), exact_sum_of<float>(pair))) << x << " " << y;
        }
    }
    EXPECT_TRUE(same_bits(sum_of_numbers().lower<double>(), 0.0));
}

TEST(WideSum, CarriesAfterBillionsOfTerms)
{
    // 2^62 times the largest double, and as many of the smallest.
    const double most = std::numeric_limits<double>::max();
    sum_of_numbers sum;
    sum.add(most);
    sum.add(std::numeric_limits<double>::denorm_min());
    for (int doubling = 0; doubling < 62; ++doubling) {
        sum.merge(sum);
    }
    EXPECT_EQ(sum.lower<double>(), std::numeric_limits<double>::infinity());
    sum_of_numbers negative;
    negative.add(-most);
    for (int doubling = 0; doubling < 62; ++doubling) {
        negative.merge(negative);
    }
    sum.merge(negative);
    EXPECT_EQ(sum.lower<double>(), 0x1p-1012);

    sum_of_numbers ones;
    constexpr std::int64_t many = (std::int64_t{1} << 22) + 5; // carries were due several times
    for (std::int64_t i = 0; i < many; ++i) {
        ones.add(-0x1.fffffffffffffp0);
    }
    // many * 2^-52 is a bit more than half a unit of the sum.
    EXPECT_EQ(ones.lower<double>(), static_cast<double>(-2 * many) + 0x1p-29);
}

TEST(WideSum, OfProductsIsRoundedOnce)
{
    std::mt19937_64 random(17);
    const double least = std::numeric_limits<double>::denorm_min();
    for (const int powers : {1, 100, 1000, 2000}) {
        auto x = spread_numbers<double>(random, 200, powers, powers / 2);
        auto y = spread_numbers<double>(random, 200, powers, powers / 2);
        const std::size_t n = x.size();
        for (std::size_t i = 0; i < n; ++i) { // all cancels, but for the square of the smallest
            x.push_back(-y[i]);
            y.push_back(x[i]);
        }
        x.insert(x.end(), {least, 1.0, -1.0});
        y.insert(y.end(), {-least, 0x1p-1050, 0x1p-1050});
        sum_of_products sum;
        sum_of_products merged;
        exact_sum expected;
        for (std::size_t i = 0; i < x.size(); ++i) {
            sum.add_product(x[i], y[i]);
            sum_of_products one;
            one.add_product(x[i], y[i]);
            merged.merge(one.to_record());
            expected.add_product(x[i], y[i]);
        }
        sum.add_product(1.0, 0x1p-30);
        sum.add_product(0x1p-30, 0x1p-53);
        expected.add_product(1.0, 0x1p-30);
        expected.add_product(0x1p-30, 0x1p-53);
        EXPECT_TRUE(same_bits(sum.lower<double>(), expected.rounded<double>())) << powers;
        EXPECT_EQ(sum.lower<double>(), 0x1p-30);              // a tie that 2^-2148 decides, downwards
        EXPECT_TRUE(same_bits(merged.lower<double>(), -0.0)); // rounded from -2^-2148
    }
    for (const double x : special_numbers()) {
        for (const double y : special_numbers()) {
            sum_of_products sum;
            exact_sum expected;
            sum.add_product(x, y);
            expected.add_product(x, y);
            EXPECT_TRUE(same_bits(sum.lower<double>(), expected.rounded<double>())) << x << " * " << y;
        }
    }
}

} // namespace
} // namespace rankfold::test
