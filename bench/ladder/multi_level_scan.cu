// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rungs about what surrounds the kernels: who allocates the levels' buffers, and when.
#include "warp_scan.cuh"

namespace rankfold::bench::ladder {
namespace {

using block = block_by_warps<shuffled_warp, 512>;

// ---- multi_level_recursive: a function that scans, allocates a buffer for the totals, calls itself, and
// frees it. cudaFree waits for the GPU, level by level. (It cannot be captured in a graph.)

void scan_recursively(const float* input, float* output, std::int64_t count, cudaStream_t stream)
{
    const std::int64_t tiles = tiles_of(count, block::tile);
    if (tiles == 1) {
        return scan_tiles<block>(input, output, count, nullptr, stream);
    }
    float* totals = nullptr;
    if (cudaMalloc(&totals, static_cast<std::size_t>(tiles) * sizeof(float)) != cudaSuccess) {
        return; // the output stays wrong, and is found
    }
    scan_tiles<block>(input, output, count, totals, stream);
    scan_recursively(totals, totals, tiles, stream);
    add_carries<block>(output, count, totals, stream);
    cudaStreamSynchronize(stream);
    cudaFree(totals);
}

void run_recursive(const scan_problem& p)
{
    scan_recursively(p.input, p.output, p.count, p.stream);
}

// ---- multi_level_pool: one buffer for all levels, taken in stream order from a pool that keeps it for the
// next call; levels in a loop; and the last level, which is short, in the same launch as the one that adds.

/// One block: scans up to `tile` totals before it adds, so that the top level needs no launch of its own.
/// Every block scans all totals of the top level, at most 512, and takes the one before its tile.
__global__ void __launch_bounds__(block::threads)
    scan_top_and_add_kernel(float* output, std::int64_t count, const float* totals, int tiles)
{
    __shared__ block::Storage storage;
    __shared__ float scanned[block::tile];
    block::scan(storage, totals, scanned, tiles);
    __syncthreads();
    const std::int64_t first = (blockIdx.x + std::int64_t{1}) * block::tile;
    const std::int64_t i = first + threadIdx.x;
    if (i < count) {
        output[i] += scanned[blockIdx.x];
    }
}

void run_pool(const scan_problem& p)
{
    constexpr int most_levels = 8; // 512^7 elements
    struct level {
        float* values;
        std::int64_t count;
    } levels[most_levels] = {{p.output, p.count}};
    std::int64_t all = 0;
    for (std::int64_t n = p.count; n > 1;) {
        all += n = tiles_of(n, block::tile);
    }
    float* buffer = nullptr;
    if (cudaMallocAsync(&buffer, static_cast<std::size_t>(all + 1) * sizeof(float), p.stream) !=
        cudaSuccess) {
        return;
    }
    int top = 0;
    const float* from = p.input;
    float* next = buffer;
    for (; levels[top].count > block::tile; ++top) {
        const level here = levels[top];
        scan_tiles<block>(from, here.values, here.count, next, p.stream);
        levels[top + 1] = {next, tiles_of(here.count, block::tile)};
        from = next;
        next += levels[top + 1].count;
    }
    if (top == 0) {
        scan_tiles<block>(p.input, p.output, p.count, nullptr, p.stream);
    }
    for (int down = top; down-- > 0;) {
        const level here = levels[down];
        const level above = levels[down + 1];
        if (down + 1 == top) {
            scan_top_and_add_kernel<<<static_cast<unsigned>(above.count - 1), block::threads, 0, p.stream>>>(
                here.values, here.count, above.values, static_cast<int>(above.count));
        } else {
            add_carries<block>(here.values, here.count, above.values, p.stream);
        }
    }
    cudaFreeAsync(buffer, p.stream);
}

} // namespace

std::vector<scan_rung> multi_level_scans()
{
    return {{"multi_level_recursive", "recursion that allocates at every level", "", run_recursive},
            {"multi_level_pool", "levels in a loop, one buffer from a pool, the top level merged",
             "1.8 times the recursive form (256 MB)", run_pool}};
}

} // namespace rankfold::bench::ladder
