// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "expect_problem.hpp"
#include "support/distributed.hpp"
#include "together.hpp"

#include <stdexcept>

namespace {

using namespace field_stats;
using rankfold::test::world_rank;
using rankfold::test::world_size;

void fail_on(int rank)
{
    if (world_rank() == rank) {
        throw std::runtime_error("no luck");
    }
}

TEST(Together, ReturnsWhatTheWorkReturns)
{
    EXPECT_EQ(together(MPI_COMM_WORLD, [] { return world_rank() + 1; }), world_rank() + 1);
}

TEST(Together, ThrowsOnEveryRankIfOneFails)
{
    const int last = world_size() - 1;

    EXPECT_PROBLEM(together(MPI_COMM_WORLD, [&] { fail_on(last); }),
                   "no luck (rank " + std::to_string(last) + ")");
}

TEST(Together, NamesAllRanksThatFail)
{
    const auto work = [] { throw std::runtime_error("no luck"); };

    EXPECT_PROBLEM(together(MPI_COMM_WORLD, work),
                   world_size() > 1 ? "no luck (all ranks)" : "no luck (rank 0)");
    EXPECT_THROW(together(MPI_COMM_WORLD, work), rankfold::error);
}

TEST(Together, KeepsDifferentProblemsApart)
{
    RANKFOLD_NEEDS_RANKS(2);

    const auto work = [] { throw std::runtime_error(world_rank() == 0 ? "one" : "another"); };

    EXPECT_PROBLEM(together(MPI_COMM_WORLD, work), "one (rank 0)\nanother (rank");
}

TEST(RequireSame, FindsTheRankThatDiffers)
{
    RANKFOLD_NEEDS_RANKS(2);

    EXPECT_NO_THROW(require_same(MPI_COMM_WORLD, "the text", "same"));
    EXPECT_PROBLEM(require_same(MPI_COMM_WORLD, "the text", world_rank() == 1 ? "other" : "same"),
                   "the text differs from that of rank 0 (rank 1)");
    EXPECT_PROBLEM(require_same(MPI_COMM_WORLD, "the text", world_rank() == 1 ? "longer than that" : ""),
                   "(rank 1)");
}

} // namespace
