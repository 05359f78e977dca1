// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The first rungs of the reduction: one word for all, then a tree in shared memory for each block.
// Source: Mark Harris, "Optimizing parallel reduction in CUDA" (2007), for the trees.
#include "rung.hpp"

#include <utility>

namespace rankfold::bench::ladder {
namespace {

constexpr int threads = 256;

// ---- atomic: every element is added to the same word, so that the additions of all threads queue up there.

__global__ void atomic_kernel(const float* input, std::int64_t count, float* result)
{
    const std::int64_t i = blockIdx.x * std::int64_t{threads} + threadIdx.x;
    if (i < count) {
        atomicAdd(result, input[i]);
    }
}

void run_atomic(const reduce_problem& p)
{
    cudaMemsetAsync(p.result, 0, sizeof(float), p.stream);
    const auto blocks = static_cast<unsigned>((p.count + threads - 1) / threads);
    atomic_kernel<<<blocks, threads, 0, p.stream>>>(p.input, p.count, p.result);
}

// ---- shared_tree: blocks sum 256 elements in a tree. Step k adds neighbours at distance 2^k, so that the
// threads at work lie ever further apart: whole warps run for one lane, and strides of 2^k meet in one bank.

struct interleaved {
    static __device__ void reduce(float* values)
    {
        for (int distance = 1; distance < threads; distance *= 2) {
            if (threadIdx.x % (2 * distance) == 0) {
                values[threadIdx.x] += values[threadIdx.x + distance];
            }
            __syncthreads();
        }
    }
};

// ---- sequential_addressing: the distance halves, so that the threads at work and the words they read stay
// side by side: warps retire whole, and no two lanes meet in a bank.

struct halving {
    static __device__ void reduce(float* values)
    {
        for (int distance = threads / 2; distance > 0; distance /= 2) {
            if (threadIdx.x < distance) {
                values[threadIdx.x] += values[threadIdx.x + distance];
            }
            __syncthreads();
        }
    }
};

/// One element a thread; what lies beyond the array counts as 0.
template <class Tree>
__global__ void tree_kernel(const float* input, std::int64_t count, float* partials)
{
    __shared__ float values[threads];
    const std::int64_t i = blockIdx.x * std::int64_t{threads} + threadIdx.x;
    values[threadIdx.x] = i < count ? input[i] : 0.0F;
    __syncthreads();
    Tree::reduce(values);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = values[0];
    }
}

/// Launches until one partial is left; partials go back and forth between two places.
template <class Tree>
void run_tree(const reduce_problem& p)
{
    const float* from = p.input;
    std::int64_t left = p.count;
    float* to = p.partials;
    float* other = p.partials + (p.count + threads - 1) / threads;
    do {
        const std::int64_t blocks = (left + threads - 1) / threads;
        float* const out = blocks == 1 ? p.result : to;
        tree_kernel<Tree><<<static_cast<unsigned>(blocks), threads, 0, p.stream>>>(from, left, out);
        from = out;
        left = blocks;
        std::swap(to, other);
    } while (left > 1);
}

} // namespace

std::vector<reduce_rung> shared_memory_reductions()
{
    return {{"atomic", "nothing yet: one atomic addition an element, all to one word", "180 ms (A100)",
             run_atomic},
            {"shared_tree", "a tree in shared memory; one partial a block, summed by further launches", "",
             run_tree<interleaved>},
            {"sequential_addressing", "working threads stay side by side; no bank conflicts",
             "40 % less time", run_tree<halving>}};
}

} // namespace rankfold::bench::ladder
