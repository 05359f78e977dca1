// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A block's scan by warps: each warp scans its elements, then the first warp scans the warps' sums.
#pragma once

#include "scan_levels.cuh"

namespace rankfold::bench::ladder {

/// Inclusive scan over the lanes, in five shuffles. All 32 lanes take part: lanes without an element bring 0.
struct shuffled_warp {
    static __device__ float scan(float x)
    {
        const int lane = static_cast<int>(threadIdx.x) % warp_size;
#pragma unroll
        for (int distance = 1; distance < warp_size; distance *= 2) {
            const float before = __shfl_up_sync(whole_warp, x, distance);
            x += lane >= distance ? before : 0.0F;
        }
        return x;
    }
};

template <class Warp, int Threads>
struct block_by_warps {
    static constexpr int threads = Threads;
    static constexpr int tile = Threads;
    static constexpr int warps = Threads / warp_size;
    struct Storage {
        float upto[warps]; ///< sum of the warps up to and with this one
    };

    static __device__ float scan(Storage& storage, const float* input, float* output, int count)
    {
        const int t = static_cast<int>(threadIdx.x);
        const int warp = t / warp_size;
        const int lane = t % warp_size;
        const float mine = Warp::scan(t < count ? input[t] : 0.0F);
        if (lane == warp_size - 1) {
            storage.upto[warp] = mine;
        }
        __syncthreads();
        if (warp == 0) {
            const float sum = Warp::scan(lane < warps ? storage.upto[lane] : 0.0F);
            if (lane < warps) {
                storage.upto[lane] = sum;
            }
        }
        __syncthreads();
        if (t < count) {
            output[t] = warp == 0 ? mine : mine + storage.upto[warp - 1];
        }
        return storage.upto[warps - 1];
    }
};

} // namespace rankfold::bench::ladder
