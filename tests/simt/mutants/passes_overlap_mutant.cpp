// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "../suites/passes_trial.hpp"

#include <gtest/gtest.h>

namespace rankfold::simt {

template <>
inline std::int32_t suites::element(std::int64_t i)
{
    return static_cast<std::int32_t>(i) + 5;
}

namespace {

TEST(Mutant, IsCaught)
{
    executor::expect_caught(RANKFOLD_FAULT, 4000, suites::overlapping_scans_trial<interval_algebra>);
}

} // namespace
} // namespace rankfold::simt
