// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A GPU that is busy with something else.
#pragma once

#include "device.hpp"

#include <chrono>
#include <thread>

namespace rankfold::test {

/// Holds an SM until `stop`, or for two seconds.
static __global__ void hold_kernel(volatile int* arrived, const volatile int* stop)
{
    if (threadIdx.x == 0) {
        atomicAdd_system(const_cast<int*>(arrived), 1);
        std::uint64_t now = 0;
        std::uint64_t start = 0;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
        do {
            asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        } while (*stop == 0 && now - start < 2'000'000'000);
    }
}

/// All multiprocessors but one, held by blocks that take all of the shared memory of theirs.
class held_multiprocessors {
public:
    explicit held_multiprocessors(const place& here) : held_(here.multiprocessors - 1)
    {
        cudaDeviceGetAttribute(&bytes_, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
        device::check_cuda(
            cudaFuncSetAttribute(hold_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes_),
            "hold_kernel");
        device::check_cuda(cudaMallocHost(&words_, 2 * sizeof(int)), "cudaMallocHost");
        device::check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    }
    ~held_multiprocessors()
    {
        stop();
        cudaStreamDestroy(stream_);
        cudaFreeHost(words_);
    }
    held_multiprocessors(const held_multiprocessors&) = delete;
    held_multiprocessors& operator=(const held_multiprocessors&) = delete;

    void start()
    {
        volatile int* const arrived = words_;
        words_[0] = 0;
        words_[1] = 0;
        hold_kernel<<<held_, 32, bytes_, stream_>>>(words_, words_ + 1);
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
        while (*arrived < held_ && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::yield();
        }
    }
    /// True if they were held until now.
    bool stop()
    {
        const bool still = cudaStreamQuery(stream_) == cudaErrorNotReady;
        *static_cast<volatile int*>(words_ + 1) = 1;
        return cudaStreamSynchronize(stream_) == cudaSuccess && still;
    }

private:
    int held_;
    int bytes_ = 0;
    int* words_ = nullptr; ///< blocks that have begun; whether to stop
    cudaStream_t stream_ = nullptr;
};

} // namespace rankfold::test
