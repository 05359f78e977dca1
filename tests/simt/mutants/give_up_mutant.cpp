// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "../suites/conclude_trial.hpp"

#include <gtest/gtest.h>

namespace rankfold::simt {
namespace {

TEST(Mutant, IsCaught)
{
    executor::expect_caught(RANKFOLD_FAULT, 4000, suites::give_up_trial);
}

} // namespace
} // namespace rankfold::simt
