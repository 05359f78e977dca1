// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The upper rungs of the reduction: loads of 16 bytes, and who sums the partials.
#include "vector_sum.cuh"

namespace rankfold::bench::ladder {
namespace {

// ---- vectorized: a quarter of the load instructions, each of 16 bytes, eight under way in a thread.

void run_vectorized(const reduce_problem& p)
{
    sum_partials(p, launch_vector_sum(p, p.partials));
}

// ---- multi_stage: a second stage leaves 32 partials, which the host sums. The result is the host's without
// one more launch; a result that the GPU goes on with travels there and back, which costs more than a block
// that sums 32 numbers.

constexpr int last_partials = 32;

__global__ void second_stage_kernel(const float* partials, int count, float* last)
{
    float sum = 0;
    const int warp = static_cast<int>(blockIdx.x);
    for (int i = warp * warp_size + static_cast<int>(threadIdx.x); i < count;
         i += last_partials * warp_size) {
        sum += partials[i];
    }
    sum = sum_of_warp(sum);
    if (threadIdx.x == 0) {
        last[warp] = sum;
    }
}

/// Page-locked memory of the host for the last partials and their sum; one run at a time.
float* last_on_host()
{
    static float* const memory = [] {
        void* allocated = nullptr;
        return cudaMallocHost(&allocated, (last_partials + 1) * sizeof(float)) == cudaSuccess
                   ? static_cast<float*>(allocated)
                   : nullptr;
    }();
    return memory;
}

void sum_on_host(void* memory)
{
    auto* const values = static_cast<float*>(memory);
    float sum = 0;
    for (int i = 0; i < last_partials; ++i) {
        sum += values[i];
    }
    values[last_partials] = sum;
}

void run_multi_stage(const reduce_problem& p)
{
    const int blocks = launch_vector_sum(p, p.partials);
    float* const last = p.partials + blocks;
    float* const host = last_on_host();
    second_stage_kernel<<<last_partials, warp_size, 0, p.stream>>>(p.partials, blocks, last);
    cudaMemcpyAsync(host, last, last_partials * sizeof(float), cudaMemcpyDeviceToHost, p.stream);
    cudaLaunchHostFunc(p.stream, sum_on_host, host);
    cudaMemcpyAsync(p.result, host + last_partials, sizeof(float), cudaMemcpyHostToDevice, p.stream);
}

} // namespace

std::vector<reduce_rung> vectorized_reductions()
{
    return {{"vectorized", "loads of 16 bytes", "300 to 1555 GB/s (A100)", run_vectorized},
            {"multi_stage", "32 partials left by a second stage, summed on the host", "", run_multi_stage}};
}

} // namespace rankfold::bench::ladder
