// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tiles of 16 x 16 floats on Tensor Cores. They multiply numbers of TF32, which keep 11 of the 24 bits of a
// float's significand: a float is taken as the sum of three such numbers, so that no bit is lost before the
// products, which here are by 0 or 1, are added in float. Source: A. Dakkak et al., "Accelerating reduction
// and scan using Tensor Core units" (2019).
#pragma once

#include "block_sum.cuh"

#include <mma.h>

namespace rankfold::bench::ladder {

namespace wmma = nvcuda::wmma;

inline constexpr int tile_rows = 16;
inline constexpr int tile_columns = 16;
inline constexpr int tile_elements = tile_rows * tile_columns;
inline constexpr int depth = 8; ///< columns of the left matrix that one product takes in
inline constexpr int tf32_pieces = 3;

using left_matrix = wmma::fragment<wmma::matrix_a, 16, 16, depth, wmma::precision::tf32, wmma::row_major>;
using right_matrix = wmma::fragment<wmma::matrix_b, 16, 16, depth, wmma::precision::tf32, wmma::row_major>;
using sum_matrix = wmma::fragment<wmma::accumulator, 16, 16, depth, float>;

/// Takes the next piece of every element out of `rest`.
__device__ inline left_matrix next_piece(left_matrix& rest)
{
    left_matrix piece;
#pragma unroll
    for (int k = 0; k < rest.num_elements; ++k) {
        piece.x[k] = wmma::__float_to_tf32(rest.x[k]);
        rest.x[k] -= piece.x[k];
    }
    return piece;
}

/// sums += tile * right, for 16 rows of 8 columns of a tile: `tile` points to their first element.
__device__ inline void multiply_add(sum_matrix& sums, const float* tile, const right_matrix& right)
{
    left_matrix rest;
    wmma::load_matrix_sync(rest, tile, tile_columns);
#pragma unroll
    for (int piece = 0; piece < tf32_pieces; ++piece) {
        wmma::mma_sync(sums, next_piece(rest), right, sums);
    }
}

} // namespace rankfold::bench::ladder
