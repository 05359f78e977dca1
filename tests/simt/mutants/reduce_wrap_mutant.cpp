// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "../suites/reduce_trial.hpp"

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
    executor::expect_caught(RANKFOLD_FAULT, 4000, [](const suites::schedule& how) {
        return suites::reduce_trial<interval_algebra>(how, ~std::uint32_t{0} - 2);
    });
}

} // namespace
} // namespace rankfold::simt
