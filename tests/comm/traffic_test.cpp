// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The library's messages and the user's do not get in each other's way.
#include "rankfold/rankfold.hpp"
#include "support/distributed.hpp"
#include "support/expect.hpp"

namespace rankfold::test {
namespace {

/// A halo exchange of `count` words with both neighbours, started and not waited for.
class halo_exchange {
public:
    halo_exchange(std::size_t count, int round)
        : right_((world_rank() + 1) % world_size()), left_((world_rank() + world_size() - 1) % world_size()),
          round_(round), to_left_(count), to_right_(count), from_left_(count, -1), from_right_(count, -1)
    {
        for (std::size_t i = 0; i < count; ++i) {
            to_left_[i] = value(world_rank(), 0, i);
            to_right_[i] = value(world_rank(), 1, i);
        }
        const int words = static_cast<int>(count);
        MPI_Irecv(from_left_.data(), words, MPI_INT64_T, left_, 1, MPI_COMM_WORLD, &requests_[0]);
        MPI_Irecv(from_right_.data(), words, MPI_INT64_T, right_, 0, MPI_COMM_WORLD, &requests_[1]);
        MPI_Isend(to_left_.data(), words, MPI_INT64_T, left_, 0, MPI_COMM_WORLD, &requests_[2]);
        MPI_Isend(to_right_.data(), words, MPI_INT64_T, right_, 1, MPI_COMM_WORLD, &requests_[3]);
    }
    testing::AssertionResult arrives()
    {
        MPI_Waitall(4, requests_.data(), MPI_STATUSES_IGNORE);
        for (std::size_t i = 0; i < from_left_.size(); ++i) {
            if (from_left_[i] != value(left_, 1, i) || from_right_[i] != value(right_, 0, i)) {
                return testing::AssertionFailure() << "word " << i << " of the halo is wrong";
            }
        }
        return testing::AssertionSuccess();
    }

private:
    [[nodiscard]] std::int64_t value(int rank, int side, std::size_t i) const
    {
        return ((static_cast<std::int64_t>(rank) * 2 + side) << 40) + round_ * 1000003 +
               static_cast<std::int64_t>(i);
    }

    int right_;
    int left_;
    int round_;
    std::vector<std::int64_t> to_left_;
    std::vector<std::int64_t> to_right_;
    std::vector<std::int64_t> from_left_;
    std::vector<std::int64_t> from_right_;
    std::array<MPI_Request, 4> requests_{};
};

TEST(Traffic, HaloExchangesInFlightArriveWholeAroundAThousandReductions)
{
    const communicator comm(MPI_COMM_WORLD);
    constexpr int halos = 4;
    constexpr std::size_t words = (8 << 20) / sizeof(std::int64_t);

    for (int h = 0; h < halos; ++h) {
        halo_exchange halo(words, h);
        for (int i = 0; i < 1000 / halos; ++i) {
            const std::int64_t value = world_rank() + i;
            const auto total = all_reduce<std::int64_t>(comm, sum, std::span(&value, 1));
            ASSERT_EQ(total, world_size() * i + world_size() * (world_size() - 1) / 2);
        }

        EXPECT_TRUE(halo.arrives());
    }
}

TEST(Traffic, UsersWildcardReceivesDoNotCatchTheLibrarysMessages)
{
    RANKFOLD_NEEDS_RANKS(2);
    const communicator comm(MPI_COMM_WORLD);
    int caught = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&caught, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);

    for (std::int64_t i = 0; i < 20; ++i) {
        EXPECT_EQ(all_reduce<std::int64_t>(comm, sum, std::span(&i, 1)), i * world_size());
    }
    const int sent = 1000 + world_rank();
    const int ranks = world_size();
    MPI_Send(&sent, 1, MPI_INT, (world_rank() + 1) % ranks, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    EXPECT_EQ(caught, 1000 + (world_rank() + ranks - 1) % ranks);
}

} // namespace
} // namespace rankfold::test
