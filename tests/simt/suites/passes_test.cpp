// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "passes_trial.hpp"

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

TEST(ReduceThenScan, KeepsIntervalsInOrderOverRaggedPieces)
{
    expect_right(800 / fewer, [](const schedule& how) {
        return passes_trial<interval_algebra>(how, {2, 5});
    });
}

TEST(ReduceThenScan, SumsIntegers)
{
    using sum = algebra<operator_id::sum, std::int32_t, std::int64_t, std::int32_t>;
    expect_right(400 / fewer, [](const schedule& how) { return passes_trial<sum>(how, 1000); });
}

TEST(ReduceThenScan, ComposesMapsInOrder)
{
    using map = affine_map<std::int64_t>;
    using affine = algebra<operator_id::affine, map, map, map>;
    expect_right(400 / fewer, [](const schedule& how) { return passes_trial<affine>(how, map{3, 1}); });
}

} // namespace
} // namespace rankfold::simt
