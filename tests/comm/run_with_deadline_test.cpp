// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Steps that have no deadline of their own: a rank that fails alone, or hangs, strands nobody.
#include "support/distributed.hpp"
#include "watch/run_with_deadline.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

namespace rankfold::test {
namespace {

using detail::run_with_deadline;
using state = detail::deadline_result::state;

/// A step that waits until it is let go.
struct gate {
    std::atomic<bool> open{false};
    void pass() const
    {
        while (!open.load()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
};

class Attempt : public testing::Test {
protected:
    ~Attempt() override { gate_->open = true; }

    int last_ = world_size() - 1;
    std::string last_name_ = "rank " + std::to_string(last_);
    std::shared_ptr<gate> gate_ = std::make_shared<gate>();
};

TEST_F(Attempt, OfAllRanksIsDone)
{
    const auto results = run_with_deadline(
        MPI_COMM_WORLD, [] {}, 30.0);

    ASSERT_EQ(results.size(), static_cast<std::size_t>(world_size()));
    for (const auto& result : results) {
        EXPECT_EQ(result.how, state::done);
    }
    EXPECT_EQ(problems_of(results), "");
}

TEST_F(Attempt, ThatFailsOnOneRankEndsAtOnceOnTheOthersWhoWaitForIt)
{
    const auto step = [waits = gate_, fails = world_rank() == last_] {
        if (fails) {
            throw std::runtime_error("no memory");
        }
        waits->pass();
    };

    const auto results =
        run_with_deadline(MPI_COMM_WORLD, step, 1000.0); // the test's own limit is below that

    EXPECT_EQ(problems_of(results), last_name_ + ": no memory");
    EXPECT_EQ(results.back().how, state::failed);
    for (int r = 0; r < last_; ++r) {
        EXPECT_EQ(results[static_cast<std::size_t>(r)].how, state::did_not_return);
    }
}

TEST_F(Attempt, ThatHangsOnOneRankEndsByTheDeadline)
{
    const auto step = [waits = gate_, hangs = world_rank() == last_] {
        if (hangs) {
            waits->pass();
        }
    };

    const auto results = run_with_deadline(MPI_COMM_WORLD, step, 0.2);

    EXPECT_NE(problems_of(results).find(last_name_ + ": did not return within 0.2"), std::string::npos);
    EXPECT_EQ(results.back().how, state::did_not_return);
}

TEST_F(Attempt, CanBeRepeatedAfterAFailure)
{
    for (int round = 0; round < 5; ++round) {
        const auto failing = [fails = world_rank() == round % world_size()] {
            if (fails) {
                throw std::runtime_error("no");
            }
        };

        EXPECT_NE(problems_of(run_with_deadline(MPI_COMM_WORLD, failing, 30.0)), "");
        EXPECT_EQ(problems_of(run_with_deadline(
                      MPI_COMM_WORLD, [] {}, 30.0)),
                  "");
    }
}

} // namespace
} // namespace rankfold::test
