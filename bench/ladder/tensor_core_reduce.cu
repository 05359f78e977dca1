// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A rung that sums by matrix products: a tile times a matrix of ones has the sums of the tile's rows.
#include "tensor_tile.cuh"

namespace rankfold::bench::ladder {
namespace {

constexpr int threads = 256;
constexpr int warps = threads / warp_size;
constexpr int blocks_per_multiprocessor = 8;

// ---- tensor_core: the additions go to a unit that multiplies and adds 16 x 16 x 8 numbers at once. 15 of
// the 16 columns of its result are copies: the unit does sixteen times the work needed, and is still not the
// bottleneck. Nor was the addition before.

__global__ void tensor_sum_kernel(const float* input, std::int64_t count, float* partials)
{
    __shared__ float row_sums[warps][tile_elements];
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const std::int64_t tiles = count / tile_elements;
    const std::int64_t step = std::int64_t{gridDim.x} * warps;

    right_matrix ones;
    wmma::fill_fragment(ones, 1.0F);
    sum_matrix sums;
    wmma::fill_fragment(sums, 0.0F);
    for (std::int64_t t = blockIdx.x * std::int64_t{warps} + warp; t < tiles; t += step) {
        multiply_add(sums, input + t * tile_elements, ones);
        multiply_add(sums, input + t * tile_elements + depth, ones);
    }
    wmma::store_matrix_sync(row_sums[warp], sums, tile_columns, wmma::mem_row_major);
    __syncwarp();
    float sum = lane < tile_rows ? row_sums[warp][lane * tile_columns] : 0.0F;
    const std::int64_t outside = tiles * tile_elements + threadIdx.x; // elements that fill no tile
    if (blockIdx.x == 0 && outside < count) {
        sum += input[outside];
    }
    sum = sum_of_block<threads>(sum);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
    }
}

void run_tensor_core(const reduce_problem& p)
{
    static_assert(threads >= tile_elements); // elements outside tiles: one a thread
    const int blocks = blocks_for(p, warps * tile_elements, blocks_per_multiprocessor);
    tensor_sum_kernel<<<blocks, threads, 0, p.stream>>>(p.input, p.count, p.partials);
    sum_partials(p, blocks);
}

} // namespace

std::vector<reduce_rung> tensor_core_reductions()
{
    return {{"tensor_core", "sums of rows as products with a matrix of ones (TF32, three pieces a float)",
             "certain patterns", run_tensor_core}};
}

} // namespace rankfold::bench::ladder
