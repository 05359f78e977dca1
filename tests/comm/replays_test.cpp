// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Captured graphs of calls, replayed for long and in step with the other ranks, whatever else the ranks call
// in between.
#include "comm/state.hpp"
#include "rankfold/rankfold.hpp"
#include "support/backend_data.hpp"
#include "support/distributed.hpp"
#include "support/expect.hpp"
#include "support/stream_graph.hpp"

#include <optional>

namespace rankfold::test {
namespace {

/// An array that is scanned in place again and again, so that a call too few, too many or in the wrong order
/// changes all that follow.
class scanned_array {
public:
    static constexpr std::int64_t count = 64;

    scanned_array(communicator& comm, cudaStream_t stream)
        : comm_(comm), stream_(stream), all_(static_cast<std::size_t>(comm.size() * count), 1)
    {
    }

    /// Queues a scan of the first elements of every rank's piece, and a reduction and an exscan beside it.
    void queue(std::int64_t part)
    {
        execution where;
        where.stream = stream_;
        scan_.execute(data_.data(), data_.data(), part, where);
        total_.execute(data_.data(), part, results_.data(), where);
        offset_.execute(data_.data(), results_.data() + 1, where);
    }
    /// Says that what queue(part) queues has been queued, eagerly or by a replay.
    void expect(std::int64_t part)
    {
        std::uint64_t running = 0;
        std::uint64_t before = 0;
        total_of_part_ = 0;
        for (int r = 0; r < comm_.size(); ++r) {
            for (std::int64_t i = 0; i < part; ++i) {
                std::uint64_t& x = all_[static_cast<std::size_t>(r * count + i)];
                x = running += x;
                total_of_part_ += x;
            }
            offset_of_rank_ = r == comm_.rank() ? before : offset_of_rank_;
            before += all_[static_cast<std::size_t>(r * count)];
        }
    }
    void queue_and_expect(std::int64_t part)
    {
        queue(part);
        expect(part);
    }

    /// Waits.
    [[nodiscard]] testing::AssertionResult check()
    {
        comm_.wait(stream_);
        const auto begin = all_.begin() + comm_.rank() * count;
        const std::vector<std::uint64_t> mine(begin, begin + count);
        const testing::AssertionResult scanned = same_elements(to_host(comm_, data_), mine);
        return scanned ? same_elements(to_host(comm_, results_),
                                       std::vector<std::uint64_t>{total_of_part_, offset_of_rank_})
                       : scanned;
    }

private:
    communicator& comm_;
    cudaStream_t stream_;
    std::vector<std::uint64_t> all_; ///< of all ranks, as it should be
    std::uint64_t total_of_part_ = 0;
    std::uint64_t offset_of_rank_ = 0;
    array<std::uint64_t> data_ = to_backend(comm_, std::vector<std::uint64_t>(count, 1));
    array<std::uint64_t> results_{comm_, 2};
    scan_plan<std::uint64_t> scan_{comm_, inclusive, sum, {.max_count = count}};
    reduce_plan<std::uint64_t> total_{comm_, sum};
    exscan_plan<std::uint64_t> offset_{comm_, sum};
};

class Replays : public testing::Test {
protected:
    void SetUp() override
    {
        RANKFOLD_SKIP_ON_EVERY_RANK_IF(comm_.backend() != backend::cuda ||
                                           comm_.transport() == transport::mpi,
                                       "calls are not queued here");
        ASSERT_EQ(cudaSetDevice(comm_.device()), cudaSuccess);
        ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    }
    void TearDown() override
    {
        if (stream_ != nullptr) {
            EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
        }
    }

    communicator comm_{MPI_COMM_WORLD, {.timeout_s = 30.0}};
    cudaStream_t stream_ = nullptr;
};

TEST_F(Replays, TenThousandTimesBetweenEagerCalls)
{
    scanned_array numbers(comm_, stream_);
    const stream_graph graph(stream_, [&] {
        numbers.queue(numbers.count);
        numbers.queue(17);
    });

    for (int round = 0; round < 10000; ++round) {
        graph.launch();
        numbers.expect(numbers.count);
        numbers.expect(17);
        numbers.queue_and_expect(5);
        if (round % 1000 == 999) {
            EXPECT_TRUE(numbers.check()) << "after round " << round;
        }
    }
}

TEST_F(Replays, OfAGraphThatOneRankAloneCapturesAgainAndAnotherDoesWithout)
{
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(comm_.transport() != transport::peer,
                                   "NCCL wants each call captured on all ranks or on none");
    scanned_array numbers(comm_, stream_);
    const auto calls = [&] { numbers.queue(33); };
    std::optional<stream_graph> graph;
    graph.emplace(stream_, calls);

    for (int round = 0; round < 300; ++round) {
        if (comm_.rank() == 0 && round % 100 == 50) {
            graph.emplace(stream_, calls);
        }
        if (comm_.rank() == comm_.size() - 1 && round % 3 == 0) {
            calls();
        } else {
            graph->launch();
        }
        numbers.expect(33);
    }
    EXPECT_TRUE(numbers.check());
}

TEST_F(Replays, GoThroughTheWrapOfTheEpoch)
{
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(comm_.transport() != transport::peer, "no mailboxes here");
    scanned_array numbers(comm_, stream_);
    const stream_graph graph(stream_, [&] { numbers.queue(numbers.count); });
    const auto go_on = [&] {
        for (int round = 0; round < 20; ++round) {
            graph.launch();
            numbers.expect(numbers.count);
            numbers.queue_and_expect(5);
        }
        EXPECT_TRUE(numbers.check());
        MPI_Barrier(MPI_COMM_WORLD);
    };

    for (const std::uint32_t before : {31U, 32U, 1U, 2U}) { // rounds have six calls
        go_on();
        comm_.state()->approach_wrap(before);
        MPI_Barrier(MPI_COMM_WORLD);
        go_on();
    }
}

TEST_F(Replays, OfTwoCommunicatorsAlternate)
{
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(comm_.transport() != transport::peer,
                                   "NCCL does not promise that graphs of two communicators go together");
    communicator other(MPI_COMM_WORLD, {.timeout_s = 30.0});
    scanned_array numbers(comm_, stream_);
    scanned_array others(other, stream_);
    const stream_graph graph(stream_, [&] {
        numbers.queue(20);
        others.queue(30);
        numbers.queue(40);
    });

    for (int round = 0; round < 500; ++round) {
        graph.launch();
        numbers.expect(20);
        others.expect(30);
        numbers.expect(40);
        others.queue_and_expect(7);
        numbers.queue_and_expect(8);
    }
    EXPECT_TRUE(numbers.check());
    EXPECT_TRUE(others.check());
}

} // namespace
} // namespace rankfold::test
