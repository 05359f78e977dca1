// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Compiled so that a * b + c is rounded once: operators of users from such a file are refused.
#include "rankfold/user_operator.hpp"

#include <gtest/gtest.h>

namespace rankfold::test {
namespace {

bool has_fused_multiply_add()
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("fma") != 0;
#else
    return true;
#endif
}

TEST(Contraction, OfUserOperatorsIsRefusedByName)
{
    if (!has_fused_multiply_add()) {
        GTEST_SKIP() << "the processor has no fused multiply-add";
    }
    const auto op = user_operator([](double a, double b) { return a * b + 1; });

    try {
        static_cast<void>(op.over<double>());
        FAIL() << "not refused";
    } catch (const error& refusal) {
        EXPECT_EQ(refusal.code(), errc::usage);
        EXPECT_NE(refusal.text().find("-ffp-contract=off"), std::string::npos) << refusal.text();
    }
}

} // namespace
} // namespace rankfold::test
