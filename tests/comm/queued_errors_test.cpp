// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Errors of calls that are queued on a stream: all ranks hear of them at the latest when they wait, the
// communicator is finished, and a new one works. On the host backend, where calls block, the errors are the
// same.
#include "rankfold/rankfold.hpp"
#include "support/backend_data.hpp"
#include "support/distributed.hpp"
#include "support/expect.hpp"

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

} // namespace
} // namespace rankfold::test
