// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Partial sums by loads of 16 bytes: the first stage of the upper rungs.
#pragma once

#include "block_sum.cuh"

namespace rankfold::bench::ladder {

inline constexpr int vector_threads = 512;
inline constexpr int vectors_in_flight = 8;

template <int Threads, int InFlight>
__global__ void vector_sum_kernel(const float* input, std::int64_t count, float* partials)
{
    const auto* vectors = reinterpret_cast<const float4*>(input);
    const std::int64_t whole = count / 4;
    const std::int64_t step = std::int64_t{gridDim.x} * Threads;
    const std::int64_t first = blockIdx.x * std::int64_t{Threads} + threadIdx.x;
    float sum = 0;
    std::int64_t i = first;
    for (; i + (InFlight - 1) * step < whole; i += InFlight * step) {
        float4 x[InFlight];
#pragma unroll
        for (int k = 0; k < InFlight; ++k) {
            x[k] = vectors[i + k * step];
        }
#pragma unroll
        for (int k = 0; k < InFlight; ++k) {
            sum += (x[k].x + x[k].y) + (x[k].z + x[k].w);
        }
    }
    for (; i < whole; i += step) {
        const float4 x = vectors[i];
        sum += (x.x + x.y) + (x.z + x.w);
    }
    if (first < count % 4) { // what fills no vector
        sum += input[4 * whole + first];
    }
    sum = sum_of_block<Threads>(sum);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
    }
}

/// Returns how many partials there are.
inline int launch_vector_sum(const reduce_problem& p, float* partials)
{
    const int blocks = blocks_for(p, 4 * vector_threads, 4);
    vector_sum_kernel<vector_threads, vectors_in_flight>
        <<<blocks, vector_threads, 0, p.stream>>>(p.input, p.count, partials);
    return blocks;
}

} // namespace rankfold::bench::ladder
