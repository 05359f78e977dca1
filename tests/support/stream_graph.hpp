// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A captured CUDA graph, for tests that replay calls.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>

namespace rankfold::test {

/// What `call` queues on `stream`.
class stream_graph {
public:
    template <class Call>
    stream_graph(cudaStream_t stream, const Call& call) : stream_(stream)
    {
        EXPECT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
        call();
        EXPECT_EQ(cudaStreamEndCapture(stream_, &graph_), cudaSuccess);
        EXPECT_EQ(cudaGraphInstantiate(&replay_, graph_, 0), cudaSuccess);
    }
    stream_graph(const stream_graph&) = delete;
    stream_graph& operator=(const stream_graph&) = delete;
    ~stream_graph()
    {
        cudaGraphExecDestroy(replay_);
        cudaGraphDestroy(graph_);
    }

    [[nodiscard]] std::size_t nodes() const
    {
        std::size_t count = 0;
        EXPECT_EQ(cudaGraphGetNodes(graph_, nullptr, &count), cudaSuccess);
        return count;
    }
    void launch() const { launch(stream_); }
    void launch(cudaStream_t stream) const { EXPECT_EQ(cudaGraphLaunch(replay_, stream), cudaSuccess); }

private:
    cudaStream_t stream_;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t replay_ = nullptr;
};

} // namespace rankfold::test
