// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The fold of a range of elements by one block: what reduce and tile_reduce share.
//
//   1. A batch is Rows rows; in a row every lane of a warp owns Vector consecutive elements.
//   2. Commutative: batches go round the warps, and each lane folds what it owns, from batch to batch.
//      In order: each warp takes one run of batches, and folds every row over its lanes before it goes on.
//   3. The lanes are folded in order, the warps' folds lie in shared memory. The caller synchronises the block.
//
// Traffic: each element is read once.
#pragma once

#include "rankfold/device/source.cuh"
#include "rankfold/device/tuning.hpp"
#include "rankfold/device/warp.cuh"

namespace rankfold::device {

template <Algebra A, Source S, reduce_tuning Tuning>
struct range_fold {
    using accumulator = typename A::accumulator;
    static constexpr int vector = Tuning.vector;
    static constexpr int rows = Tuning.rows;
    static constexpr int warps = Tuning.threads / simt::warp_size;
    static constexpr int row = vector * simt::warp_size;
    static constexpr int batch = row * rows;
    static constexpr std::int64_t pass = std::int64_t{batch} * warps;

    const A& algebra;
    const S& source;

    /// Folds [first, last), not empty, of which every chunk but the last of a piece has `length` elements, a multiple of
    /// `pass`. Returns the number of warps that have a value; those values are in `folds` after the block's barrier.
    RANKFOLD_DEVICE int run(const simt::block& block, std::int64_t first, std::int64_t last, std::int64_t length,
                            uninitialised<accumulator>* folds) const
    {
        const std::int64_t segment = A::commutative ? std::int64_t{batch} : length / warps;
        const std::int64_t step = A::commutative ? pass : std::int64_t{batch};
        const std::int64_t begin = first + block.warp() * segment;
        const std::int64_t end = A::commutative || begin + segment > last ? last : begin + segment;
        if (begin < last) {
            const partial<accumulator> mine = fold_warp(block, begin, end, step);
            const std::int64_t first_row = (last - begin + vector - 1) / vector;
            const int valid = !A::commutative                ? 1
                              : first_row < simt::warp_size ? static_cast<int>(first_row)
                                                            : simt::warp_size;
            const accumulator all = warp_fold(block, algebra, mine.value(), valid);
            if (block.lane() == 0) {
                folds[block.warp()].value = all;
            }
        }
        const std::int64_t used = (last - first + segment - 1) / segment;
        return used < warps ? static_cast<int>(used) : warps;
    }

private:
    /// Commutative: what the lane owns. In order: lane 0 has the warp's fold, other lanes something else.
    RANKFOLD_DEVICE partial<accumulator> fold_warp(const simt::block& block, std::int64_t begin, std::int64_t end,
                                                   std::int64_t step) const
    {
        partial<accumulator> mine;
        std::int64_t at = begin;
        for (; at + batch <= end; at += step) {
            mine.append(algebra, partial<accumulator>(fold_batch(block, at)));
        }
        for (int r = 0; r < rows && at + r * row < end; ++r) {
            append_row(block, at + r * row, end, mine);
        }
        return mine;
    }

    RANKFOLD_DEVICE accumulator fold_batch(const simt::block& block, std::int64_t at) const
    {
        lane_vector<typename S::value_type, vector> x[rows];
RANKFOLD_UNROLL
        for (int r = 0; r < rows; ++r) {
            source.load(at + r * row + block.lane() * vector, x[r]);
        }
        accumulator all = fold_row(block, at + block.lane() * vector, x[0]);
RANKFOLD_UNROLL
        for (int r = 1; r < rows; ++r) {
            all = algebra.combine(all, fold_row(block, at + r * row + block.lane() * vector, x[r]));
        }
        return all;
    }

    RANKFOLD_DEVICE accumulator fold_row(const simt::block& block, std::int64_t index,
                                         const lane_vector<typename S::value_type, vector>& x) const
    {
        accumulator mine = algebra.lift(x.at[0].value, index);
RANKFOLD_UNROLL
        for (int v = 1; v < vector; ++v) {
            mine = algebra.combine(mine, algebra.lift(x.at[v].value, index + v));
        }
        if constexpr (A::commutative) {
            return mine;
        } else {
            return warp_fold(block, algebra, mine);
        }
    }

    /// A row of which only the elements before `end` exist.
    RANKFOLD_DEVICE void append_row(const simt::block& block, std::int64_t at, std::int64_t end,
                                    partial<accumulator>& all) const
    {
        const std::int64_t index = at + block.lane() * vector;
        partial<accumulator> mine;
RANKFOLD_NO_UNROLL
        for (int v = 0; v < vector && index + v < end; ++v) {
            mine.append(algebra, partial<accumulator>(algebra.lift(source[index + v], index + v)));
        }
        if constexpr (A::commutative) {
            all.append(algebra, mine);
        } else {
            const std::int64_t owners = (end - at + vector - 1) / vector;
            const int valid = owners < simt::warp_size ? static_cast<int>(owners) : simt::warp_size;
            all.append(algebra, partial<accumulator>(warp_fold(block, algebra, mine.value(), valid)));
        }
    }
};

} // namespace rankfold::device
