// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A scan in levels, as all rungs below `lookback` are made: every block scans its tile and leaves the tile's
// sum; the sums are scanned the same way; then every tile adds what stands before it. The rungs differ in how
// a block scans.
#pragma once

#include "block_sum.cuh"

#include <algorithm>

namespace rankfold::bench::ladder {

[[nodiscard]] inline std::int64_t tiles_of(std::int64_t count, int tile)
{
    return (count + tile - 1) / tile;
}

/// `Block`: tile (elements of a block), threads, Storage, and
///   static void scan(Storage&, const float* input, float* output, int count)
/// which leaves the inclusive scan of `count` <= tile elements in output, and returns its last in thread 0.
template <class Block>
__global__ void __launch_bounds__(Block::threads)
    scan_tiles_kernel(const float* input, float* output, std::int64_t count, float* totals)
{
    __shared__ typename Block::Storage storage;
    const std::int64_t first = blockIdx.x * std::int64_t{Block::tile};
    const std::int64_t left = count - first;
    const int here = left < Block::tile ? static_cast<int>(left) : Block::tile;
    const float total = Block::scan(storage, input + first, output + first, here);
    if (threadIdx.x == 0 && totals != nullptr) {
        totals[blockIdx.x] = total;
    }
}

/// Adds to every tile but the first the scan of the totals before it.
template <class Block>
__global__ void add_carries_kernel(float* output, std::int64_t count, const float* carries)
{
    const std::int64_t first = (blockIdx.x + std::int64_t{1}) * Block::tile;
    const float carry = carries[blockIdx.x];
    for (int i = static_cast<int>(threadIdx.x); i < Block::tile && first + i < count; i += Block::threads) {
        output[first + i] += carry;
    }
}

template <class Block>
void scan_tiles(const float* input, float* output, std::int64_t count, float* totals, cudaStream_t stream)
{
    const auto blocks = static_cast<unsigned>(tiles_of(count, Block::tile));
    scan_tiles_kernel<Block><<<blocks, Block::threads, 0, stream>>>(input, output, count, totals);
}

template <class Block>
void add_carries(float* output, std::int64_t count, const float* carries, cudaStream_t stream)
{
    const auto blocks = static_cast<unsigned>(tiles_of(count, Block::tile) - 1);
    add_carries_kernel<Block><<<blocks, Block::threads, 0, stream>>>(output, count, carries);
}

/// All levels, by recursion; the totals of each level lie behind those of the level below.
template <class Block>
void scan_levels(const float* input, float* output, std::int64_t count, float* totals, cudaStream_t stream)
{
    const std::int64_t tiles = tiles_of(count, Block::tile);
    if (tiles == 1) {
        return scan_tiles<Block>(input, output, count, nullptr, stream);
    }
    scan_tiles<Block>(input, output, count, totals, stream);
    scan_levels<Block>(totals, totals, tiles, totals + tiles, stream);
    add_carries<Block>(output, count, totals, stream);
}

template <class Block>
void run_levels(const scan_problem& p)
{
    scan_levels<Block>(p.input, p.output, p.count, p.totals, p.stream);
}

} // namespace rankfold::bench::ladder
