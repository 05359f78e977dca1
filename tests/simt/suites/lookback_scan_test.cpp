// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "scan_trial.hpp"

#include <gtest/gtest.h>

namespace rankfold::simt {

template <>
inline std::int32_t suites::element(std::int64_t i)
{
    return static_cast<std::int32_t>(i) + 5;
}

namespace {

using namespace executor;
using namespace suites;

constexpr std::uint32_t last_epoch = ~std::uint32_t{0};
constexpr interval before_all{2, 5}; // joins what begins at 5

TEST(LookbackScan, KeepsIntervalsInOrder)
{
    expect_right(1200 / fewer,
                 [](const schedule& how) { return lookback_trial<interval_algebra>(how, 0, before_all); });
}

TEST(LookbackScan, GoesThroughTheWrapOfTheEpoch)
{
    expect_right(500 / fewer, [](const schedule& how) {
        const auto before = static_cast<std::uint32_t>(1 + how.seed % 3);
        return lookback_trial<interval_algebra>(how, last_epoch - before, before_all);
    });
}

TEST(LookbackScan, WorksInPlace)
{
    using sum = algebra<operator_id::sum, std::int32_t, std::int64_t, std::int32_t>;
    expect_right(600 / fewer, [](const schedule& how) { return lookback_trial<sum>(how, 7, 1000); });
}

TEST(LookbackScan, SumsInFourBytes)
{
    using sum = algebra<operator_id::sum, std::int32_t, std::int32_t, std::int32_t>;
    expect_right(600 / fewer, [](const schedule& how) { return lookback_trial<sum>(how, 7, 1000); });
}

TEST(LookbackScan, ComposesMapsInOrder)
{
    using map = affine_map<std::int64_t>;
    using affine = algebra<operator_id::affine, map, map, map>;
    expect_right(500 / fewer, [](const schedule& how) { return lookback_trial<affine>(how, 0, map{3, 1}); });
}

} // namespace
} // namespace rankfold::simt
