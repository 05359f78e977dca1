// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "../mailbox_trials.hpp"

#include <gtest/gtest.h>

namespace rankfold::simt {
namespace {

TEST(Mutant, IsCaught)
{
    executor::expect_caught(RANKFOLD_FAULT, 4000, overlap_trial);
}

} // namespace
} // namespace rankfold::simt
