// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators of other ranks, in other orders, and several at once.
#include "rankfold/rankfold.hpp"
#include "support/distributed.hpp"
#include "support/expect.hpp"

namespace rankfold::test {
namespace {

/// An MPI communicator of the test's own.
class split_world {
public:
    split_world(int colour, int key) { MPI_Comm_split(MPI_COMM_WORLD, colour, key, &comm_); }
    split_world(const split_world&) = delete;
    split_world& operator=(const split_world&) = delete;
    ~split_world() { release(); }

    [[nodiscard]] MPI_Comm comm() const { return comm_; }
    void release()
    {
        if (comm_ != MPI_COMM_NULL) {
            MPI_Comm_free(&comm_);
        }
    }

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

// BC-40
TEST(Groups, OfReversedRanksScanInTheirOwnOrder)
{
    const int ranks = world_size();
    const split_world reversed(0, ranks - world_rank());
    const communicator comm(reversed.comm());
    const std::vector<int> mine{world_rank() + 1};
    std::vector<int> before(1);
    int total = 0;

    exclusive_scan(comm, sum, std::span(mine), std::span(before), {.total = &total});

    int expected = 0;
    for (int r = ranks - 1; r > world_rank(); --r) {
        expected += r + 1;
    }
    EXPECT_EQ(comm.rank(), ranks - 1 - world_rank());
    EXPECT_EQ(before[0], expected);
    EXPECT_EQ(total, ranks * (ranks + 1) / 2);
}

TEST(Groups, OfHalfTheRanksWorkSideBySide)
{
    const split_world half(world_rank() % 2, world_rank());
    const communicator comm(half.comm());
    const std::vector<int> mine{world_rank()};

    const int total = all_reduce<int>(comm, sum, std::span(mine));

    int expected = 0;
    for (int r = world_rank() % 2; r < world_size(); r += 2) {
        expected += r;
    }
    EXPECT_EQ(total, expected);
}

TEST(Groups, OfOneRankNeedNobody)
{
    const communicator comm(MPI_COMM_SELF);
    const std::vector<int> mine{world_rank(), 1};
    std::vector<int> upto(2);

    inclusive_scan(comm, sum, std::span(mine), std::span(upto));

    EXPECT_EQ(comm.size(), 1);
    EXPECT_EQ(comm.transport(), transport::self);
    EXPECT_EQ(upto, (std::vector<int>{world_rank(), world_rank() + 1}));
}

TEST(Groups, OutliveTheCommunicatorOfTheUser)
{
    split_world mine(0, world_rank());
    const communicator comm(mine.comm());
    const std::vector<int> one{1};

    mine.release();

    EXPECT_EQ(all_reduce<int>(comm, sum, std::span(one)), world_size());
}

TEST(Groups, TwoCommunicatorsAreUsedAlternately)
{
    const split_world reversed(0, world_size() - world_rank());
    const communicator forwards(MPI_COMM_WORLD);
    const communicator backwards(reversed.comm());

    for (int round = 0; round < 100; ++round) {
        const std::int64_t value = round + world_rank();
        const auto lower = exscan<std::int64_t>(forwards, sum, value);
        const auto upper = exscan<std::int64_t>(backwards, sum, value);
        const auto total =
            all_reduce<std::int64_t>(round % 2 ? forwards : backwards, sum, std::span(&value, 1));

        EXPECT_EQ(lower + value + upper, total);
        EXPECT_EQ(lower, round * world_rank() + world_rank() * (world_rank() - 1) / 2);
    }
}

TEST(Groups, OverlappingOnesTakeTurns)
{
    RANKFOLD_NEEDS_RANKS(3);
    const bool low = world_rank() < world_size() - 1;
    const bool high = world_rank() > 0;
    const split_world low_group(low ? 0 : MPI_UNDEFINED, world_rank());
    const split_world high_group(high ? 0 : MPI_UNDEFINED, world_rank());
    std::optional<communicator> low_comm;
    std::optional<communicator> high_comm;
    if (low) {
        low_comm.emplace(low_group.comm());
    }
    if (high) {
        high_comm.emplace(high_group.comm());
    }
    const std::vector<int> one{1};

    for (int round = 0; round < 20; ++round) {
        EXPECT_TRUE(!low || all_reduce<int>(*low_comm, sum, std::span(one)) == world_size() - 1);
        EXPECT_TRUE(!high || all_reduce<int>(*high_comm, sum, std::span(one)) == world_size() - 1);
    }
}

TEST(Groups, TheUserMayMeanwhileUseTheSameMpiCommunicator)
{
    const communicator comm(MPI_COMM_WORLD);
    const std::vector<int> one{1};

    for (int round = 0; round < 50; ++round) {
        int users = 0;
        const int value = world_rank();
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Iallreduce(&value, &users, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        EXPECT_EQ(all_reduce<int>(comm, sum, std::span(one)), world_size());
        MPI_Wait(&request, MPI_STATUS_IGNORE);

        EXPECT_EQ(users, world_size() * (world_size() - 1) / 2);
    }
}

TEST(Groups, PretendNodesOfTheSizeThatIsAskedFor)
{
    const scoped_environment size("RANKFOLD_FAKE_NODE_SIZE", "2");
    const communicator comm(MPI_COMM_WORLD);
    const std::vector<int> one{1};

    EXPECT_EQ(comm.nodes(), (world_size() + 1) / 2);
    EXPECT_EQ(comm.node(), world_rank() / 2);
    EXPECT_EQ(all_reduce<int>(comm, sum, std::span(one)), world_size());
}

TEST(Groups, PretendNodesWithNeighboursApart)
{
    const scoped_environment size("RANKFOLD_FAKE_NODE_SIZE", "2,cyclic");
    const communicator comm(MPI_COMM_WORLD);
    const int nodes = (world_size() + 1) / 2;

    EXPECT_EQ(comm.nodes(), nodes);
    EXPECT_EQ(comm.node(), world_rank() % nodes);
}

TEST(Groups, RefuseNodeSizesThatAreNone)
{
    for (const char* wrong : {"0", "-1", "two", "2,", "2,block", " 2", "", "99999999999"}) {
        const scoped_environment size("RANKFOLD_FAKE_NODE_SIZE", wrong);

        EXPECT_TRUE(fails_with(errc::usage, {"RANKFOLD_FAKE_NODE_SIZE", "'" + std::string(wrong) + "'"},
                               [] { const communicator comm(MPI_COMM_WORLD); }));
    }
    RANKFOLD_NEEDS_RANKS(2);
    const scoped_environment size("RANKFOLD_FAKE_NODE_SIZE", world_rank() == 0 ? "2" : "3");
    EXPECT_TRUE(fails_with(errc::usage, {"RANKFOLD_FAKE_NODE_SIZE", "rank 0: 2", "rank 1: 3"},
                           [] { const communicator comm(MPI_COMM_WORLD); }));
}

TEST(Groups, AreDescribedWithTheirRanksAndTransport)
{
    const communicator comm(MPI_COMM_WORLD);

    const std::string& text = comm.describe();

    EXPECT_NE(text.find(to_string(comm.backend())), std::string::npos) << text;
    EXPECT_NE(text.find(to_string(comm.transport())), std::string::npos) << text;
    EXPECT_NE(text.find("made in "), std::string::npos) << text;
    EXPECT_EQ(text.find("bytes of GPU memory") != std::string::npos, comm.backend() == backend::cuda) << text;
    EXPECT_GE(std::count(text.begin(), text.end(), '\n'), world_size()) << text;
}

} // namespace
} // namespace rankfold::test
