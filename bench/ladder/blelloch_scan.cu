// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The work-efficient scan: up a tree with partial sums, down again with prefixes; about 2n additions.
// Sources: G. Blelloch, "Prefix sums and their applications" (1990); M. Harris, S. Sengupta, J. Owens,
// "Parallel prefix sum (scan) with CUDA", GPU Gems 3 (2007), for the padding.
#include "scan_levels.cuh"

namespace rankfold::bench::ladder {
namespace {

/// Where element i of the tile lies in shared memory.
struct unpadded {
    static __host__ __device__ constexpr int at(int i) { return i; }
};
/// One word of padding after every 32: strides of 2^k no longer meet in one bank.
struct padded {
    static __host__ __device__ constexpr int at(int i) { return i + i / warp_size; }
};

template <class Place>
struct blelloch_block {
    static constexpr int threads = 256;
    static constexpr int tile = 2 * threads;
    struct Storage {
        float values[Place::at(tile - 1) + 1];
    };

    static __device__ float scan(Storage& storage, const float* input, float* output, int count)
    {
        const auto value = [&](int i) -> float& { return storage.values[Place::at(i)]; };
        const int t = static_cast<int>(threadIdx.x);
        const float own[2] = {t < count ? input[t] : 0.0F, t + threads < count ? input[t + threads] : 0.0F};
        value(t) = own[0];
        value(t + threads) = own[1];
        int distance = 1;
        for (int working = threads; working > 0; working /= 2) { // up: sums of ever longer parts
            __syncthreads();
            if (t < working) {
                value(distance * (2 * t + 2) - 1) += value(distance * (2 * t + 1) - 1);
            }
            distance *= 2;
        }
        __syncthreads();
        const float total = value(tile - 1);
        __syncthreads();
        if (t == 0) {
            value(tile - 1) = 0;
        }
        for (int working = 1; working < tile; working *= 2) { // down: what stands before each part
            distance /= 2;
            __syncthreads();
            if (t < working) {
                float& left = value(distance * (2 * t + 1) - 1);
                float& right = value(distance * (2 * t + 2) - 1);
                const float before = right;
                right += left;
                left = before;
            }
        }
        __syncthreads();
        for (int k = 0; k < 2; ++k) { // the tree leaves the exclusive scan
            const int i = t + k * threads;
            if (i < count) {
                output[i] = value(i) + own[k];
            }
        }
        return total;
    }
};

} // namespace

std::vector<scan_rung> blelloch_scans()
{
    return {{"blelloch", "nothing yet: up-sweep and down-sweep in shared memory, level above level", "",
             run_levels<blelloch_block<unpadded>>},
            {"blelloch_padded", "a word of padding after every 32: no bank conflicts",
             "1.56 times (RTX 3090, 1 Mi)", run_levels<blelloch_block<padded>>}};
}

} // namespace rankfold::bench::ladder
