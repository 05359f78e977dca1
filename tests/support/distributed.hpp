// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a GoogleTest program under mpirun needs: who am I, and decisions taken alike on all ranks. The main
// function is in mpi_main.cpp; it prints failures with their rank and makes a failure on one rank a failure
// on all.
#pragma once

#include "support/environment.hpp"

#include "rankfold/mpi.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace rankfold::test {

[[nodiscard]] int world_rank();
[[nodiscard]] int world_size();

/// Collective over the world: true on every rank if `condition` holds on any.
[[nodiscard]] bool on_any_rank(bool condition);

} // namespace rankfold::test

/// Skips the test on every rank if `condition` holds on any.
#define RANKFOLD_SKIP_ON_EVERY_RANK_IF(condition, reason)                                                    \
    if (rankfold::test::on_any_rank(condition))                                                              \
    GTEST_SKIP() << reason

/// For tests that need several ranks.
#define RANKFOLD_NEEDS_RANKS(ranks)                                                                          \
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(rankfold::test::world_size() < (ranks), "needs " << (ranks) << " ranks")
