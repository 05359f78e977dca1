// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The step-efficient scan: log n steps, in each of which every element adds the one at a distance that
// doubles; n log n additions. Source: W. D. Hillis, G. L. Steele, "Data parallel algorithms" (1986).
#include "scan_levels.cuh"

namespace rankfold::bench::ladder {
namespace {

// ---- hillis_steele: one buffer. All must have read before anybody writes, and all have written before the
// next step reads: two barriers a step. (Without the first it races; without the comparison it reads below
// index 0.)

struct one_buffer {
    static constexpr int threads = 512;
    static constexpr int tile = threads;
    struct Storage {
        float values[tile];
    };

    static __device__ float scan(Storage& storage, const float* input, float* output, int count)
    {
        const int t = static_cast<int>(threadIdx.x);
        float mine = t < count ? input[t] : 0.0F;
        storage.values[t] = mine;
        __syncthreads();
        for (int distance = 1; distance < tile; distance *= 2) {
            const float before = t >= distance ? storage.values[t - distance] : 0.0F;
            __syncthreads();
            mine += before;
            storage.values[t] = mine;
            __syncthreads();
        }
        if (t < count) {
            output[t] = mine;
        }
        return storage.values[tile - 1];
    }
};

// ---- hillis_steele_double_buffer: a step reads one buffer and writes the other: one barrier a step.

struct two_buffers {
    static constexpr int threads = 512;
    static constexpr int tile = threads;
    struct Storage {
        float values[2][tile];
    };

    static __device__ float scan(Storage& storage, const float* input, float* output, int count)
    {
        const int t = static_cast<int>(threadIdx.x);
        float mine = t < count ? input[t] : 0.0F;
        int from = 0;
        storage.values[from][t] = mine;
        __syncthreads();
        for (int distance = 1; distance < tile; distance *= 2) {
            mine += t >= distance ? storage.values[from][t - distance] : 0.0F;
            from = 1 - from;
            storage.values[from][t] = mine;
            __syncthreads();
        }
        if (t < count) {
            output[t] = mine;
        }
        return storage.values[from][tile - 1];
    }
};

} // namespace

std::vector<scan_rung> hillis_steele_scans()
{
    return {{"hillis_steele", "half the steps of the two sweeps, for more additions; two barriers a step",
             "15 % faster than Blelloch up to 8 Ki (V100), 22 % slower above 64 Ki (A6000)",
             run_levels<one_buffer>},
            {"hillis_steele_double_buffer", "two buffers: one barrier a step", "42 % fewer cycles (Turing)",
             run_levels<two_buffers>}};
}

} // namespace rankfold::bench::ladder
