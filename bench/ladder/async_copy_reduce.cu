// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A rung for GPUs from compute capability 8.0 on: copies from global to shared memory that no register waits
// for.
#include "block_sum.cuh"

#include <cuda_pipeline.h>

namespace rankfold::bench::ladder {
namespace {

constexpr int threads = 1024;
constexpr int stages = 3;
constexpr int ring_bytes = stages * threads * static_cast<int>(sizeof(float4)); // 48 KiB

// ---- async_copy: blocks of 1024 threads keep three batches of 16 bytes a thread under way to shared memory.
// A thread reads only what it has copied itself, so that the pipeline needs no barrier.

__global__ void __launch_bounds__(threads, 2)
    async_copy_kernel(const float* input, std::int64_t count, float* partials)
{
    extern __shared__ float4 ring[]; // stages x threads
    const auto* vectors = reinterpret_cast<const float4*>(input);
    const std::int64_t whole = count / 4;
    const std::int64_t step = std::int64_t{gridDim.x} * threads;
    const std::int64_t first = blockIdx.x * std::int64_t{threads} + threadIdx.x;
    std::int64_t asked = first;
    const auto ask = [&](int stage) {
        if (asked < whole) {
            __pipeline_memcpy_async(&ring[stage * threads + threadIdx.x], vectors + asked, sizeof(float4));
        }
        __pipeline_commit(); // also where nothing was asked for, so that the counts of all stages agree
        asked += step;
    };
    for (int stage = 0; stage < stages; ++stage) {
        ask(stage);
    }
    float sum = first < count % 4 ? input[4 * whole + first] : 0.0F; // what fills no vector
    int stage = 0;
    for (std::int64_t i = first; i < whole; i += step) {
        __pipeline_wait_prior(stages - 1);
        const float4 x = ring[stage * threads + threadIdx.x];
        ask(stage);
        sum += (x.x + x.y) + (x.z + x.w);
        stage = stage + 1 < stages ? stage + 1 : 0;
    }
    sum = sum_of_block<threads>(sum);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
    }
}

void run_async_copy(const reduce_problem& p)
{
    const int blocks = blocks_for(p, 4 * threads, 2);
    cudaFuncSetAttribute(async_copy_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, ring_bytes);
    async_copy_kernel<<<blocks, threads, ring_bytes, p.stream>>>(p.input, p.count, p.partials);
    sum_partials(p, blocks);
}

} // namespace

std::vector<reduce_rung> async_copy_reductions()
{
    return {{"async_copy",
             "asynchronous copies to shared memory, three batches under way, 1024 threads a block", "",
             run_async_copy}};
}

} // namespace rankfold::bench::ladder
