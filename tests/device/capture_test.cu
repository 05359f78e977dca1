// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Errors while a stream is captured: thrown at once and on this rank alone, and the capture goes on.
#include "device_test.hpp"

namespace rankfold::test {
namespace {

class Capture : public testing::Test {
protected:
    void SetUp() override { choose_gpu(comm_); }

    /// The number of nodes that `action` left in the graph of a capture which goes well.
    template <class Action>
    std::size_t nodes_of(cudaStreamCaptureMode mode, const Action& action)
    {
        std::size_t nodes = 0;
        cudaGraph_t graph = nullptr;
        EXPECT_EQ(cudaStreamBeginCapture(stream_, mode), cudaSuccess);
        action();
        EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
        if (graph != nullptr) {
            EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
            cudaGraphDestroy(graph);
        }
        return nodes;
    }
    /// The communicator goes on as if there had been no capture.
    void expect_right_totals()
    {
        EXPECT_EQ(comm_.status(), errc::success);
        total_.execute(in_.data(), count, out_.data(), on(stream_));
        comm_.wait(stream_);
        EXPECT_EQ(first_of(comm_, out_), static_cast<double>(count * comm_.size()));
    }

    static constexpr std::int64_t count = 100;
    static constexpr cudaStreamCaptureMode modes[] = {cudaStreamCaptureModeThreadLocal,
                                                      cudaStreamCaptureModeGlobal};
    communicator comm_{MPI_COMM_WORLD, {.timeout_s = 5.0}};
    bool blocks_ = comm_.transport() == transport::mpi;
    bool culprit_ = comm_.rank() == comm_.size() - 1;
    user_stream stream_;
    array<double> in_ = to_backend(comm_, std::vector<double>(count, 1.0));
    array<double> out_{comm_, count};
    scan_plan<double> scan_{comm_, inclusive, sum, {.max_count = count}};
    reduce_plan<double> total_{comm_, sum};
};

TEST_F(Capture, OfABadArgumentGoesOnWithoutTheCall)
{
    for (const auto mode : modes) {
        const std::size_t nodes = nodes_of(mode, [&] {
            const auto call = [&] {
                scan_.execute(in_.data(), out_.data(), culprit_ ? -5 : count, on(stream_, "captured"));
            };
            if (culprit_ || blocks_) {
                EXPECT_TRUE(
                    fails_with(errc::usage, {blocks_ ? "transport mpi" : "is -5", "'captured'"}, call));
            } else {
                call();
            }
        });

        EXPECT_EQ(nodes > 0, !culprit_ && !blocks_);
        expect_right_totals();
    }
}

TEST_F(Capture, OfAGoodCallBehindABadOneIsReplayed)
{
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(blocks_, "calls are not captured here");
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    if (culprit_) {
        EXPECT_TRUE(fails_with(errc::usage, {"null"},
                               [&] { total_.execute(in_.data(), count, nullptr, on(stream_)); }));
    }
    total_.execute(in_.data(), count, out_.data(), on(stream_));
    ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(cudaGraphLaunch(replay, stream_), cudaSuccess);
    }
    comm_.wait(stream_);

    EXPECT_EQ(first_of(comm_, out_), static_cast<double>(count * comm_.size()));
    EXPECT_EQ(cudaGraphExecDestroy(replay), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(Capture, HasNothingToWaitFor)
{
    for (const auto mode : modes) {
        const std::size_t nodes = nodes_of(mode, [&] {
            EXPECT_TRUE(fails_with(errc::usage, {"wait", "being captured"}, [&] { comm_.wait(stream_); }));
        });

        EXPECT_EQ(nodes, 0U);
        expect_right_totals();
    }
}

TEST_F(Capture, IsNotForCallsThatBlock)
{
    const std::size_t nodes = nodes_of(cudaStreamCaptureModeThreadLocal, [&] {
        EXPECT_TRUE(fails_with(errc::usage, {"being captured", "blocks"}, [&] {
            (void)all_reduce<double>(comm_, sum, std::as_const(in_).span(), {}, on(stream_));
        }));
    });

    EXPECT_EQ(nodes, 0U);
    expect_right_totals();
}

/// Arrays come and go beside a capture, of this thread's own.
TEST_F(Capture, LetsMemoryBeMadeAndGivenUp)
{
    for (const auto mode : modes) {
        const std::size_t nodes = nodes_of(mode, [&] {
            for (int i = 0; i < 10; ++i) {
                const array<double> some(comm_, 1000 * (i + 1));
            }
        });

        EXPECT_EQ(nodes, 0U);
        expect_right_totals();
    }
}

} // namespace
} // namespace rankfold::test
