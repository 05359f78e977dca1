// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Errors of calls that are queued on a stream: all ranks hear of them at the latest when they wait, the
// communicator is finished, and a new one works. On the host backend, where calls block, the errors are the
// same.
#include "comm/state.hpp"
#include "rankfold/rankfold.hpp"
#include "support/backend_data.hpp"
#include "support/distributed.hpp"
#include "support/expect.hpp"

#include <chrono>
#include <thread>

namespace rankfold::test {
namespace {

class QueuedError : public testing::Test {
protected:
    void SetUp() override { RANKFOLD_NEEDS_RANKS(2); }

    [[nodiscard]] bool queues() const
    {
        return comm_.transport() == transport::nccl || comm_.transport() == transport::peer;
    }

    /// A communicator that failed with a queued call takes no more; another one does.
    void expect_end_and_new_beginning()
    {
        const std::vector<float> one{1.0F};
        if (queues()) {
            EXPECT_NE(comm_.status(), errc::success);
            EXPECT_TRUE(
                fails_with(errc::failed, {}, [&] { (void)all_reduce<float>(comm_, sum, std::span(one)); }));
        }

        const communicator again(MPI_COMM_WORLD);
        EXPECT_EQ(all_reduce<float>(again, sum, std::span(one)), static_cast<float>(world_size()));
    }

    communicator comm_{MPI_COMM_WORLD, {.timeout_s = 20.0}};
    bool culprit_ = world_rank() == world_size() - 1;
    array<float> data_ = to_backend(comm_, std::vector<float>(100, 1.0F));
    array<float> out_{comm_, 100};
};

TEST_F(QueuedError, OfOneRanksArgumentReachesAll)
{
    scan_plan<float> plan(comm_, inclusive, sum, {.max_count = 100});
    const std::string culprit = "rank " + std::to_string(world_size() - 1);

    EXPECT_TRUE(fails_with(errc::usage, {"count", "-5", culprit, "'ragged'"}, [&] {
        plan.execute(data_.data(), out_.data(), culprit_ ? -5 : 10, on_stream(comm_, "ragged"));
        finish(comm_);
    }));
    expect_end_and_new_beginning();
}

TEST_F(QueuedError, OfOneRanksArgumentReachesAllWhereRecordsDoNotFitASlot)
{
    exscan_plan<float> many(comm_, sum, {.values = 100});
    const std::string culprit = "rank " + std::to_string(world_size() - 1);

    EXPECT_TRUE(fails_with(errc::usage, {"null", culprit, "'wide'"}, [&] {
        many.execute(culprit_ ? nullptr : data_.data(), out_.data(), nullptr, on_stream(comm_, "wide"));
        finish(comm_);
    }));
    expect_end_and_new_beginning();
}

TEST_F(QueuedError, OfDifferentCallsHasATable)
{
    reduce_plan<float> smallest(comm_, min);
    reduce_plan<float> largest(comm_, max);

    EXPECT_TRUE(fails_with(
        errc::mismatch, {"rank 0: all_reduce min", "all_reduce max", "queued_errors_test.cpp"}, [&] {
            (culprit_ ? largest : smallest).execute(data_.data(), 100, out_.data(), on_stream(comm_));
            finish(comm_);
        }));
    expect_end_and_new_beginning();
}

TEST_F(QueuedError, SurvivesACallThatWasQueuedBehindIt)
{
    reduce_plan<float> smallest(comm_, min);
    reduce_plan<float> largest(comm_, max);

    EXPECT_TRUE(fails_with(errc::mismatch, {"min", "max"}, [&] {
        (culprit_ ? largest : smallest).execute(data_.data(), 100, out_.data(), on_stream(comm_));
        if (queues()) {
            smallest.execute(data_.data(), 100, out_.data(), on_stream(comm_));
        }
        finish(comm_);
    }));
    expect_end_and_new_beginning();
}

TEST_F(QueuedError, OfACallWhereAnotherRankMakesAPlan)
{
    reduce_plan<float> smallest(comm_, min);

    EXPECT_TRUE(fails_with(errc::mismatch, {"all_reduce min", "making a plan of all_reduce max"}, [&] {
        if (culprit_) {
            const reduce_plan<float> largest(comm_, max);
        } else {
            smallest.execute(data_.data(), 100, out_.data(), on_stream(comm_));
            finish(comm_);
        }
    }));
    expect_end_and_new_beginning();
}

TEST_F(QueuedError, OfCallsOfDifferentSizesHasATable)
{
    constexpr int values = 100; // more than a slot takes
    exscan_plan<float> few(comm_, sum);
    exscan_plan<float> many(comm_, sum, {.values = values});

    EXPECT_TRUE(fails_with(errc::mismatch, {"exscan sum", "x100"}, [&] {
        if (culprit_) {
            many.execute(data_.data(), out_.data(), nullptr, on_stream(comm_));
        } else {
            few.execute(data_.data(), out_.data(), nullptr, on_stream(comm_));
        }
        finish(comm_);
    }));
    expect_end_and_new_beginning();
}

TEST_F(QueuedError, OfARankThatDoesNotComeIsFoundThoughNobodyWaits)
{
    communicator comm(MPI_COMM_WORLD, {.warn_s = 0.5, .timeout_s = 2.0});
    reduce_plan<float> smallest(comm, min);
    const std::string culprit = "rank " + std::to_string(world_size() - 1);

    if (!culprit_) {
        EXPECT_TRUE(fails_with(errc::timeout, {culprit, "'alone'", "not in Rankfold since call"}, [&] {
            smallest.execute(data_.data(), 100, out_.data(), on_stream(comm, "alone"));
            for (int tenths = 0; comm.status() == errc::success && tenths < 100; ++tenths) {
                std::this_thread::sleep_for(std::chrono::milliseconds(100));
            }
            EXPECT_EQ(comm.status(), errc::timeout);
            finish(comm);
        }));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const communicator again(MPI_COMM_WORLD);
    const std::vector<float> one{1.0F};
    EXPECT_EQ(all_reduce<float>(again, sum, std::span(one)), static_cast<float>(world_size()));
}

TEST_F(QueuedError, OfCallsThatOverlapIsToldToAllRanks)
{
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(!queues(), "calls block here");
    reduce_plan<float> smallest(comm_, min);
    reduce_plan<float> largest(comm_, max);
    execution elsewhere = on_stream(comm_, "second");
    if (world_rank() == 0) {
        elsewhere.stream = comm_.state()->own_stream(); // not ordered behind the first call's
    } else {
        std::this_thread::sleep_for(
            std::chrono::milliseconds(500)); // so that the first call is under way there
    }

    EXPECT_TRUE(fails_with(errc::busy, {"'second'", "one stream"}, [&] {
        smallest.execute(data_.data(), 100, out_.data(), on_stream(comm_, "first"));
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        largest.execute(data_.data(), 100, out_.data(), elsewhere);
        comm_.wait(elsewhere.stream.value_or(nullptr));
        finish(comm_);
    }));
    expect_end_and_new_beginning();
}

} // namespace
} // namespace rankfold::test
