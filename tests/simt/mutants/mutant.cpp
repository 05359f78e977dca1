// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One planted fault (RANKFOLD_FAULT) under one trial (trials.cmake), which has to find it.
#include RANKFOLD_TRIAL_HEADER
#include "../suites/piece.hpp"

#include <gtest/gtest.h>

namespace rankfold::simt {

template <>
inline std::int32_t suites::element(std::int64_t i)
{
    return static_cast<std::int32_t>(i) + 5; // an interval that begins at 5 or later
}

namespace {

using namespace suites;

[[maybe_unused]] constexpr interval before_all{2, 5}; // joins what begins at 5
[[maybe_unused]] constexpr std::uint32_t last_epoch = ~std::uint32_t{0};

TEST(Mutant, IsCaught)
{
    executor::expect_caught(RANKFOLD_FAULT, 4000, [](const schedule& how) { return RANKFOLD_TRIAL; });
}

} // namespace
} // namespace rankfold::simt
