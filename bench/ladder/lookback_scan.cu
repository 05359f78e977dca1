// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The scan in one pass: a tile publishes its sum and looks back at the tiles before it, instead of waiting
// for a launch of its own to add what they hold. Source: D. Merrill, M. Garland, "Single-pass parallel prefix
// scan with decoupled look-back" (2016).
#include "warp_scan.cuh"

namespace rankfold::bench::ladder {
namespace {

constexpr int threads = 256;
constexpr int per_thread = 16;
constexpr int tile = threads * per_thread;
constexpr int warps = threads / warp_size;

/// What a tile has published: its own sum, or the sum of all tiles up to it. Flag and value travel in one
/// word.
enum class state : unsigned { nothing = 0, own_sum = 1, prefix = 2 };

__device__ void publish(unsigned long long* word, state what, float value)
{
    const unsigned long long packed = static_cast<unsigned long long>(what) << 32 | __float_as_uint(value);
    __threadfence();
    *static_cast<volatile unsigned long long*>(word) = packed;
}

/// First warp: what stands before `tile_index`. 32 tiles at a time, from the nearest back, until a prefix
/// ends it.
__device__ float look_back(unsigned long long* words, std::int64_t tile_index)
{
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    float before = 0;
    for (std::int64_t last = tile_index - 1; last >= 0; last -= warp_size) {
        const std::int64_t looked_at = last - lane;
        unsigned long long word = static_cast<unsigned long long>(state::prefix) << 32; // below tile 0: 0.0F
        if (looked_at >= 0) {
            do {
                word = *static_cast<volatile unsigned long long*>(words + looked_at);
            } while (word >> 32 == static_cast<unsigned>(state::nothing));
        }
        const bool ends = word >> 32 == static_cast<unsigned>(state::prefix);
        const unsigned ending = __ballot_sync(whole_warp, ends);
        const int nearest = ending != 0 ? __ffs(static_cast<int>(ending)) - 1 : warp_size - 1;
        const float value = lane <= nearest ? __uint_as_float(static_cast<unsigned>(word)) : 0.0F;
        before += __shfl_sync(whole_warp, sum_of_warp(value), 0);
        if (ending != 0) {
            break;
        }
    }
    return before;
}

/// Tiles go out by a ticket: a block waits only for tiles that running blocks have.
__global__ void __launch_bounds__(threads)
    lookback_kernel(const float* input, float* output, std::int64_t count, unsigned long long* words)
{
    __shared__ float values[tile + tile / per_thread]; // padded: a thread owns consecutive elements
    __shared__ block_by_warps<shuffled_warp, threads>::Storage storage;
    __shared__ float sums[threads];
    __shared__ float carry;
    __shared__ unsigned long long ticket;
    const int t = static_cast<int>(threadIdx.x);
    if (t == 0) {
        ticket = atomicAdd(words, 1ULL);
    }
    __syncthreads();
    const auto tile_index = static_cast<std::int64_t>(ticket);
    const std::int64_t first = tile_index * tile;
    for (int i = t; i < tile; i += threads) {
        values[i + i / per_thread] = first + i < count ? input[first + i] : 0.0F;
    }
    __syncthreads();
    float* const mine = values + t * (per_thread + 1);
    float sum = 0;
    for (int k = 0; k < per_thread; ++k) {
        mine[k] = sum += mine[k];
    }
    sums[t] = sum;
    block_by_warps<shuffled_warp, threads>::scan(storage, sums, sums, threads);
    __syncthreads();
    if (t < warp_size) {
        const float total = storage.upto[warps - 1];
        unsigned long long* const own = words + 1 + tile_index;
        if (t == 0) {
            publish(own, tile_index == 0 ? state::prefix : state::own_sum, total);
        }
        const float before = look_back(words + 1, tile_index);
        if (t == 0) {
            carry = before;
            if (tile_index != 0) {
                publish(own, state::prefix, before + total);
            }
        }
    }
    __syncthreads();
    const float before = carry + (t == 0 ? 0.0F : sums[t - 1]);
    for (int k = 0; k < per_thread; ++k) {
        mine[k] += before;
    }
    __syncthreads();
    for (int i = t; i < tile; i += threads) {
        if (first + i < count) {
            output[first + i] = values[i + i / per_thread];
        }
    }
}

void run_lookback(const scan_problem& p)
{
    const std::int64_t tiles = tiles_of(p.count, tile);
    auto* const words = reinterpret_cast<unsigned long long*>(p.totals);
    cudaMemsetAsync(words, 0, static_cast<std::size_t>(tiles + 1) * sizeof *words, p.stream);
    lookback_kernel<<<static_cast<unsigned>(tiles), threads, 0, p.stream>>>(p.input, p.output, p.count,
                                                                            words);
}

} // namespace

std::vector<scan_rung> lookback_scans()
{
    return {
        {"lookback", "one pass: tiles look back instead of waiting for further launches", "", run_lookback}};
}

} // namespace rankfold::bench::ladder
