// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers of seconds, from too small to too large for a clock.
#include "runtime/seconds.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace rankfold::detail {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

TEST(Seconds, AreDurationsAsFarAsClocksGo)
{
    EXPECT_EQ(duration_of(1e-3), 1ms);
    EXPECT_EQ(duration_of(0.5), 500ms);
    EXPECT_EQ(duration_of(600), 10min);
    EXPECT_EQ(duration_of(1e9), std::chrono::seconds(1'000'000'000));
    EXPECT_EQ(duration_of(1e-300), 0s);
}

TEST(Seconds, BeyondAreHeldAsTheLongest)
{
    for (const double never : {9.3e9, 1e10, 1e18, 1e300, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_EQ(duration_of(never), duration_of(longest_s)) << never;
        EXPECT_GT(clock::now() + duration_of(never), clock::now() + std::chrono::years(30)) << never;
    }
    EXPECT_EQ(duration_of(-1), 0s);
}

TEST(Seconds, AreTextWithAsFewDigitsAsTellThem)
{
    EXPECT_EQ(seconds_text(5.0), "5 s");
    EXPECT_EQ(seconds_text(0.5), "0.5 s");
    EXPECT_EQ(seconds_text(600.0), "600 s");
    EXPECT_EQ(seconds_text(0.001), "0.001 s");
    EXPECT_EQ(seconds_text(2.25), "2.25 s");
    EXPECT_EQ(seconds_text(longest_s), "1000000000 s");
    EXPECT_EQ(seconds_text(1e-300), "1e-300 s");
    EXPECT_EQ(number_text(-3.0), "-3");
    EXPECT_EQ(number_text(1e300), "1e+300");
}

TEST(Seconds, ThatWereMeasuredHaveOneDigitBehindThePoint)
{
    EXPECT_EQ(seconds_text(clock::duration(1640ms)), "1.6 s");
    EXPECT_EQ(seconds_text(clock::duration(61s)), "61.0 s");
    EXPECT_EQ(seconds_text(clock::duration(0s)), "0.0 s");
}

} // namespace
} // namespace rankfold::detail
