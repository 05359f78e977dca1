// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// NaN, infinities, signed zeros, ties, and accumulators: the rules on the host backend.
#include "host_backend/builtin.hpp"
#include "runner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rankfold::test {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <operator_id Id, class In, class Out = In>
operation find()
{
    return *host::find_operation(Id, element_type_of<In>, element_type_of<Out>);
}

/// The reduction of `x`, whole and cut at `at` with an empty piece between: both must agree.
template <operator_id Id, class In, class Out = In>
Out reduce(const std::vector<In>& x, std::size_t at = 0, std::optional<Out> init = {})
{
    const std::span<const In> all(x);
    const auto op = find<Id, In, Out>();
    const Out whole = run_reduce<In, Out>(op, {all}, {}, init);
    const Out split = run_reduce<In, Out>(op, {all.first(at), {}, all.subspan(at)}, {}, init);
    EXPECT_EQ(
        std::memcmp(&whole, &split,
                    Id == operator_id::min_loc || Id == operator_id::max_loc ? sizeof(In) : sizeof(Out)),
        0);
    return split;
}

template <operator_id Id, class In, class Out = In>
std::vector<Out> scan(const std::vector<In>& x, bool inclusive, std::optional<Out> init = {})
{
    const auto n = static_cast<std::int64_t>(x.size());
    std::vector<Out> whole(x.size());
    std::vector<Out> split(x.size());
    run_scan<In, Out>(find<Id, In, Out>(), x.data(), whole.data(), n, {.inclusive = inclusive}, init);
    run_tile_scan<In, Out>(find<Id, In, Out>(), x.data(), split.data(), {n / 2, n - n / 2},
                           {.inclusive = inclusive}, init);
    EXPECT_EQ(std::memcmp(whole.data(), split.data(), whole.size() * sizeof(Out)), 0);
    return split;
}

template <class T>
void check_all_infinite()
{
    const T high(static_cast<float>(inf));
    const T low(static_cast<float>(-inf));
    const std::vector<T> highs(10, high);
    const std::vector<T> lows(10, low);

    EXPECT_EQ((static_cast<float>(reduce<operator_id::min, T>(highs, 4))), inf);
    EXPECT_EQ((static_cast<float>(reduce<operator_id::max, T>(lows, 4))), -inf);
    const auto lowest = reduce<operator_id::min_loc, T, located<T>>(highs, 4);
    const auto highest = reduce<operator_id::max_loc, T, located<T>>(lows, 4);
    EXPECT_EQ(static_cast<float>(lowest.value), inf);
    EXPECT_EQ(static_cast<float>(highest.value), -inf);
    EXPECT_EQ(lowest.index, 0);
    EXPECT_EQ(highest.index, 0);
}

TEST(Extremes, OfInfinitiesAreInfinite) // BC-22
{
    check_all_infinite<float>();
    check_all_infinite<double>();
    check_all_infinite<float16>();
    check_all_infinite<bfloat16>();
}

TEST(Extremes, OrderZerosBySign) // BC-25
{
    for (const std::vector<float>& x : {std::vector<float>{0.0F, -0.0F}, std::vector<float>{-0.0F, 0.0F}}) {
        for (const std::size_t at : {0, 1}) {
            EXPECT_TRUE(std::signbit(reduce<operator_id::min>(x, at)));
            EXPECT_FALSE(std::signbit(reduce<operator_id::max>(x, at)));
        }
    }
}

TEST(Extremes, PropagateTheCanonicalNan)
{
    std::vector<double> x(100000, 1.0);
    x[77777] = std::copysign(nan, -1.0);

    const double least = reduce<operator_id::min>(x, 5);
    const auto greatest = scan<operator_id::max>(x, true);

    EXPECT_EQ(std::bit_cast<std::uint64_t>(least), std::bit_cast<std::uint64_t>(nan));
    EXPECT_EQ(greatest[77776], 1.0);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(greatest[77777]), std::bit_cast<std::uint64_t>(nan));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(greatest.back()), std::bit_cast<std::uint64_t>(nan));
}

TEST(Extremes, LocateTheFirstNan) // BC-26
{
    std::vector<float> x(1000, 0.5F);
    x[733] = x[989] = static_cast<float>(nan);
    for (const std::size_t at : {0, 500, 800, 990}) {
        const auto least = reduce<operator_id::min_loc, float, located<float>>(x, at);
        const auto greatest = reduce<operator_id::max_loc, float, located<float>>(x, at);
        EXPECT_TRUE(std::isnan(least.value) && std::isnan(greatest.value));
        EXPECT_EQ(least.index, 733);
        EXPECT_EQ(greatest.index, 733);
    }
}

TEST(Extremes, LocateTheFirstOfEquals) // BC-54
{
    std::vector<double> x(200001, 0.0);
    EXPECT_EQ((reduce<operator_id::min_loc, double, located<double>>(x, 1000).index), 0);
    EXPECT_EQ((reduce<operator_id::max_loc, double, located<double>>(x, 1000).index), 0);
    x[0] = -0.0; // zeros of either sign are equal
    EXPECT_EQ((reduce<operator_id::max_loc, double, located<double>>(x, 1000).index), 0);
    x[1500] = x[199999] = -1.0;
    for (const std::size_t at : {0, 1500, 1501, 200000}) {
        EXPECT_EQ((reduce<operator_id::min_loc, double, located<double>>(x, at).index), 1500);
    }
}

TEST(Extremes, OfNothingAreIdentities) // BC-01
{
    EXPECT_EQ(reduce<operator_id::min>(std::vector<double>{}), inf);
    EXPECT_EQ(reduce<operator_id::max>(std::vector<double>{}), -inf);
    EXPECT_EQ(reduce<operator_id::min>(std::vector<std::int32_t>{}), 2147483647);
    EXPECT_EQ((reduce<operator_id::min_loc, float, located<float>>({}).index), -1);
    EXPECT_EQ((reduce<operator_id::sum, std::int64_t, std::int64_t>({}, 0, 7)), 7);
    EXPECT_EQ(reduce<operator_id::prod>(std::vector<double>{}), 1.0);
}

TEST(Extremes, CompareUnsigned64) // BC-32
{
    std::vector<std::uint64_t> x(1000, 9223372036854775808U);
    x[999] = 1;
    EXPECT_EQ(reduce<operator_id::min>(x, 3), 1U);
    EXPECT_EQ(reduce<operator_id::max>(x, 3), 9223372036854775808U);
}

TEST(Sums, OfMinusZerosStayMinusZero) // BC-25
{
    for (const std::size_t n : {1, 4, 5, 1000, 100000}) {
        const std::vector<float> x(n, -0.0F);
        EXPECT_TRUE(std::signbit(reduce<operator_id::sum>(x, n / 2)));
        for (const float y : scan<operator_id::sum>(x, true)) {
            ASSERT_TRUE(std::signbit(y));
        }
        const auto exclusive = scan<operator_id::sum>(x, false);
        EXPECT_FALSE(std::signbit(exclusive[0])); // the identity, +0
        EXPECT_TRUE(n == 1 || std::signbit(exclusive[n - 1]));
    }
    EXPECT_FALSE(std::signbit(reduce<operator_id::sum>(std::vector<float>{})));
}

TEST(Sums, AreWidened) // BC-27, BC-28
{
    EXPECT_EQ((scan<operator_id::sum, std::int8_t, std::int32_t>({100, 28, 1}, false)),
              (std::vector<std::int32_t>{0, 100, 128}));
    const auto counts =
        scan<operator_id::sum, std::uint8_t, std::uint64_t>(std::vector<std::uint8_t>(260, 1), true);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        EXPECT_EQ(counts[i], i + 1);
    }
    EXPECT_EQ((reduce<operator_id::sum, std::int8_t, std::int64_t>({120, 100}, 1)), 220); // BC-30
}

TEST(Sums, OfHalvesAreAccumulatedInFloat) // BC-33, BC-35
{
    const float16 half(1.0F);
    const bfloat16 brain(1.0F);
    EXPECT_EQ(static_cast<float>(reduce<operator_id::sum>(std::vector<float16>(4096, half))), 4096.0F);
    EXPECT_EQ(static_cast<float>(reduce<operator_id::sum>(std::vector<bfloat16>(512, brain))), 512.0F);
    const std::vector<float16> many(65536, half);
    EXPECT_EQ((reduce<operator_id::sum, float16, float>(many, 9)), 65536.0F);
    EXPECT_EQ(static_cast<float>(reduce<operator_id::sum>(many, 9)), static_cast<float>(inf));
    EXPECT_EQ((reduce<operator_id::sum, bfloat16, float>(std::vector<bfloat16>(2000, brain), 1000)), 2000.0F);
}

TEST(Sums, OfFloatOnesDoNotStall) // BC-34
{
    const std::vector<float> x(40000000, 1.0F);
    std::vector<float> y(x.size());

    const float total = reduce<operator_id::sum>(x, 3);
    run_scan<float, float>(find<operator_id::sum, float>(), x.data(), y.data(),
                           static_cast<std::int64_t>(x.size()));

    EXPECT_NEAR(total, 4e7F, 8.0F);
    double worst = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double exact = static_cast<double>(i + 1);
        worst = std::max(worst, std::abs(y[i] - exact) / std::max(exact, 16777216.0));
    }
    EXPECT_LE(worst, std::ldexp(2.0, -23));
}

TEST(Products, OfZeroFirstStayZeroInDouble) // BC-24
{
    std::vector<float> x(100);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = 0.5F * static_cast<float>(i);
    }

    for (const double y : scan<operator_id::prod, float, double>(x, true)) {
        EXPECT_EQ(y, 0.0);
    }
    EXPECT_EQ((reduce<operator_id::prod, float, double>(x)), 0.0);
}

TEST(Logical, AnyNonZeroByteIsTrue) // BC-31
{
    EXPECT_EQ((reduce<operator_id::logical_or, std::uint8_t>({0, 2, 0}, 1)), 1);
    EXPECT_EQ((reduce<operator_id::logical_and, std::uint8_t>({2, 1, 4}, 1)), 1);
    EXPECT_EQ((reduce<operator_id::logical_and, std::uint8_t>({2, 0, 4}, 1)), 0);
}

} // namespace
} // namespace rankfold::test
