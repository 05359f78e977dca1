// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A rung that scans by matrix products: a tile times an upper triangular matrix of ones has the prefix sums
// of the tile's rows.
#include "tensor_tile.cuh"
#include "warp_scan.cuh"

namespace rankfold::bench::ladder {
namespace {

/// Warps scan tiles of 16 x 16; what stands before a row, and before a warp, comes by shuffles.
struct block_by_products {
    static constexpr int threads = 256;
    static constexpr int warps = threads / warp_size;
    static constexpr int tile = warps * tile_elements;
    struct Storage {
        alignas(32) float values[warps][tile_elements];
        alignas(32) float triangle[tile_columns * tile_columns];
        float upto[warps];
    };

    static __device__ float scan(Storage& storage, const float* input, float* output, int count)
    {
        const int t = static_cast<int>(threadIdx.x);
        const int warp = t / warp_size;
        const int lane = t % warp_size;
        float* const values = storage.values[warp];
        for (int i = t; i < tile; i += threads) {
            storage.values[0][i] = i < count ? input[i] : 0.0F;
        }
        for (int i = t; i < tile_columns * tile_columns;
             i += threads) { // ones from the diagonal to the right
            storage.triangle[i] = i / tile_columns <= i % tile_columns ? 1.0F : 0.0F;
        }
        __syncthreads();
        scan_rows(values, storage.triangle);
        // Lane r: the sum of row r, then of all rows up to it.
        const float row = lane < tile_rows ? values[lane * tile_columns + tile_columns - 1] : 0.0F;
        const float upto = shuffled_warp::scan(row);
        if (lane == warp_size - 1) {
            storage.upto[warp] = upto;
        }
        __syncthreads();
        const float warp_sum = lane < warps ? storage.upto[lane] : 0.0F;
        const float warps_upto = shuffled_warp::scan(warp_sum);
        const float before_warp = __shfl_sync(whole_warp, warps_upto - warp_sum, warp);
        const float total = __shfl_sync(whole_warp, warps_upto, warps - 1);
        for (int i = lane; i < tile_elements; i += warp_size) {
            const float before_row = __shfl_sync(whole_warp, upto - row, i / tile_columns);
            const int place = warp * tile_elements + i;
            if (place < count) {
                output[place] = values[i] + (before_row + before_warp);
            }
        }
        return total;
    }

    /// Whole warp. In place.
    static __device__ void scan_rows(float* values, const float* triangle)
    {
        sum_matrix sums;
        wmma::fill_fragment(sums, 0.0F);
#pragma unroll
        for (int first = 0; first < tile_columns; first += depth) {
            right_matrix ones;
            wmma::load_matrix_sync(ones, triangle + first * tile_columns, tile_columns);
            multiply_add(sums, values + first, ones);
        }
        __syncwarp();
        wmma::store_matrix_sync(values, sums, tile_columns, wmma::mem_row_major);
        __syncwarp();
    }
};

} // namespace

std::vector<scan_rung> tensor_core_scans()
{
    return {{"tensor_core",
             "prefix sums of rows as products with a triangular matrix (TF32, three pieces a float)",
             "30 % more at some sizes", run_levels<block_by_products>}};
}

} // namespace rankfold::bench::ladder
