// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The gather of host memory by itself: in one step, and in the two steps of more than 64 ranks, here taken
// from 5 ranks on.
#include "transport/host_gather.hpp"

#include "support/distributed.hpp"

#include <numeric>
#include <thread>

namespace rankfold::detail {
namespace {

constexpr int tag = 1;

class patient_guard final : public wait_guard {
public:
    verdict ask() override { return verdict::go_on; }
    void extend() override {}
};

/// Late or ended after so many questions.
class impatient_guard final : public wait_guard {
public:
    impatient_guard(verdict found, int patience) : found_(found), patience_(patience) {}
    verdict ask() override { return ++asked_ > patience_ ? found_ : verdict::go_on; }
    void extend() override { asked_ = 0; }

private:
    verdict found_;
    int patience_;
    int asked_ = 0;
};

class HostGather : public testing::TestWithParam<int> {
protected:
    void SetUp() override { MPI_Comm_dup(MPI_COMM_WORLD, &comm_); }
    void TearDown() override { MPI_Comm_free(&comm_); }

    /// Of one number from each rank.
    wait_guard::verdict gather(host_gather& pattern, wait_guard& guard, std::vector<int>& blocks,
                               int value) const
    {
        blocks[static_cast<std::size_t>(rank_)] = value;
        return pattern.run(reinterpret_cast<std::byte*>(blocks.data()), sizeof(int), tag, guard);
    }

    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = test::world_rank();
    int size_ = test::world_size();
};

TEST_P(HostGather, BringsEveryBlockToEveryRank)
{
    host_gather pattern(comm_, rank_, size_, GetParam());
    patient_guard guard;

    for (int round = 0; round < 5; ++round) {
        std::vector<int> blocks(static_cast<std::size_t>(size_), -2);
        std::vector<int> expected(blocks.size());
        std::iota(expected.begin(), expected.end(), 100 * round);

        EXPECT_EQ(gather(pattern, guard, blocks, 100 * round + rank_), wait_guard::verdict::go_on);

        EXPECT_EQ(blocks, expected);
    }
}

TEST_P(HostGather, IsLateOnEveryOtherRankWhereOneDoesNotCome)
{
    host_gather pattern(comm_, rank_, size_, GetParam());
    const int absent = size_ - 1;

    if (rank_ != absent) {
        impatient_guard guard(wait_guard::verdict::late, 20000);
        std::vector<int> blocks(static_cast<std::size_t>(size_), -2);
        EXPECT_EQ(gather(pattern, guard, blocks, rank_), wait_guard::verdict::late);
        EXPECT_FALSE(pattern.missing().empty());
        if (size_ <= GetParam()) {
            EXPECT_EQ(pattern.missing(), std::vector<int>{absent});
        }
    }

    MPI_Barrier(MPI_COMM_WORLD);
}

TEST_P(HostGather, IsLeftAtOnceWhereTheGuardSaysSo)
{
    host_gather pattern(comm_, rank_, size_, GetParam());

    if (rank_ == 0) {
        impatient_guard guard(wait_guard::verdict::ended, 10);
        std::vector<int> blocks(static_cast<std::size_t>(size_), -2);
        EXPECT_EQ(gather(pattern, guard, blocks, rank_), wait_guard::verdict::ended);
        EXPECT_TRUE(pattern.waiting_for().empty());
    }

    MPI_Barrier(MPI_COMM_WORLD);
}

INSTANTIATE_TEST_SUITE_P(OneStepUpTo, HostGather, testing::Values(64, 4, 2));

} // namespace
} // namespace rankfold::detail
