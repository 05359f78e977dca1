// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What these tests share: a communicator on a GPU, streams, and kernels of the user's own that take their
// time.
#pragma once

#include "rankfold/rankfold.hpp"
#include "support/backend_data.hpp"
#include "support/distributed.hpp"
#include "support/expect.hpp"

#include <chrono>
#include <cstdint>
#include <cuda_runtime.h>
#include <utility>
#include <vector>

namespace rankfold::test {

__device__ inline void spin(std::uint64_t ns, const volatile int* stop = nullptr)
{
    std::uint64_t begin = 0;
    std::uint64_t now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begin < ns && (stop == nullptr || *stop == 0));
}

/// Runs for so long, or until *stop is set.
static __global__ void spin_kernel(std::uint64_t ns, const volatile int* stop)
{
    spin(ns, stop);
}

class user_stream {
public:
    explicit user_stream(unsigned flags = cudaStreamNonBlocking)
    {
        EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, flags), cudaSuccess);
    }
    ~user_stream() { EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess); }
    user_stream(const user_stream&) = delete;
    user_stream& operator=(const user_stream&) = delete;

    operator cudaStream_t() const noexcept { return stream_; }
    /// Something of the user's own, that takes so long.
    void hold(double seconds, const int* stop = nullptr) const
    {
        spin_kernel<<<1, 1, 0, stream_>>>(static_cast<std::uint64_t>(seconds * 1e9), stop);
        EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    }

private:
    cudaStream_t stream_ = nullptr;
};

inline execution on(cudaStream_t stream, std::string_view label = {})
{
    execution result{.label = label};
    result.stream = stream;
    return result;
}

class stopwatch {
public:
    [[nodiscard]] double seconds() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The rank's GPU is current.
inline void choose_gpu(const communicator& comm)
{
    ASSERT_EQ(comm.backend(), backend::cuda);
    ASSERT_EQ(cudaSetDevice(comm.device()), cudaSuccess);
}

/// Whether calls return before they are done, and take the other ranks into their kernels.
inline bool queues(const communicator& comm)
{
    return comm.transport() == transport::nccl || comm.transport() == transport::peer;
}

/// A new communicator over all ranks gives a right total, and the GPU is well.
inline void expect_all_is_well()
{
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const communicator again(MPI_COMM_WORLD);
    const std::vector<float> one{1.0F};
    EXPECT_EQ(all_reduce<float>(again, sum, std::span(one)), static_cast<float>(world_size()));
}

} // namespace rankfold::test
