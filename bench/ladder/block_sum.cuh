// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sum of a block's values by shuffles, and the grid that suits a grid-stride loop: what all rungs from
// `warp_shuffle` on share.
#pragma once

#include "rung.hpp"

#include <algorithm>

namespace rankfold::bench::ladder {

inline constexpr int warp_size = 32;
inline constexpr unsigned whole_warp = 0xffffffffU;

/// Lane 0 gets the sum. A shuffle down gives each lane the value of the lane that many above it; lanes near
/// the end add what does not count, and nobody reads it.
__device__ inline float sum_of_warp(float x)
{
#pragma unroll
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
        x += __shfl_down_sync(whole_warp, x, distance);
    }
    return x;
}

/// Thread 0 gets the sum. Every warp sums by itself, and the first one sums the warps: only as many slots of
/// shared memory are read as warps have written.
template <int Threads>
__device__ float sum_of_block(float x)
{
    constexpr int warps = Threads / warp_size;
    static_assert(Threads % warp_size == 0 && warps <= warp_size);
    __shared__ float of_warp[warps];
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    x = sum_of_warp(x);
    if (lane == 0) {
        of_warp[warp] = x;
    }
    __syncthreads();
    return warp == 0 ? sum_of_warp(lane < warps ? of_warp[lane] : 0.0F) : 0.0F;
}

/// Blocks for a grid-stride loop: enough to fill the GPU, no more than there is work for.
[[nodiscard]] inline int blocks_for(const reduce_problem& p, std::int64_t per_block, int per_multiprocessor)
{
    const std::int64_t useful = (p.count + per_block - 1) / per_block;
    return static_cast<int>(
        std::clamp<std::int64_t>(useful, 1, std::int64_t{per_multiprocessor} * p.multiprocessors));
}

/// The second stage of two: one block sums the partials of the first.
template <int Threads>
__global__ void sum_partials_kernel(const float* partials, int count, float* result)
{
    float sum = 0;
    for (int i = static_cast<int>(threadIdx.x); i < count; i += Threads) {
        sum += partials[i];
    }
    sum = sum_of_block<Threads>(sum);
    if (threadIdx.x == 0) {
        *result = sum;
    }
}

inline void sum_partials(const reduce_problem& p, int count)
{
    constexpr int threads = 1024;
    sum_partials_kernel<threads><<<1, threads, 0, p.stream>>>(p.partials, count, p.result);
}

} // namespace rankfold::bench::ladder
