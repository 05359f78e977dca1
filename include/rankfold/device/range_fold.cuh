// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The fold of a range of elements by one block: what reduce, one_pass_reduce and tile_reduce share.
//
//   1. A batch is Rows rows; in a row every lane of a warp owns Vector consecutive elements.
//   2. Commutative: batches go round the warps, and each lane folds what it owns, from batch to batch.
//      In order: each warp takes one run of batches, and folds every row over its lanes before it goes on.
//   3. The lanes are folded in order, the warps' folds lie in shared memory. The caller synchronises the
//      block.
//
// Traffic: each element is read once.
#pragma once

#include "rankfold/device/lane.cuh"
#include "rankfold/device/source.cuh"
#include "rankfold/device/tuning.hpp"
#include "rankfold/device/warp.cuh"

namespace rankfold::device {

/// Rows of Vector consecutive elements per lane, folded by one warp. The source counts from element `base` of
/// the piece.
template <Algebra A, Source S, int Vector, int Rows>
struct row_fold {
    using accumulator = typename A::accumulator;
    using lane_elements = lane_vector<typename S::value_type, Vector>;
    static constexpr int row = Vector * simt::warp_size;
    static constexpr int batch = row * Rows;

    const A& algebra;
    const S& source;
    std::int64_t base = 0;

    /// Whole batches at begin, begin + step, ... and what is left before `end`, which is past `begin`.
    /// Commutative: what the lane owns. In order: lane 0 has the warp's fold, other lanes something else.
    RANKFOLD_DEVICE partial<accumulator> run(const simt::block& block, std::int64_t begin, std::int64_t end,
                                             std::int64_t step) const
    {
        partial<accumulator> mine;
        std::int64_t at = begin;
        for (; at + batch <= end; at += step) {
            mine.append(algebra, partial<accumulator>(fold_batch(block, at)));
        }
        if (at < end) {
            append_rest(block, at, end, mine, [] {});
        }
        return mine;
    }

    /// The same of the batch at `begin`, or of what there is of it before `end`. Calls meanwhile() when
    /// elements have been asked for.
    template <class Meanwhile>
    RANKFOLD_DEVICE partial<accumulator> run_once(const simt::block& block, std::int64_t begin,
                                                  std::int64_t end, Meanwhile meanwhile) const
    {
        partial<accumulator> mine;
        if (begin + batch <= end) {
            lane_elements x[Rows];
            load_rows(source, begin + block.lane() * Vector, row, x);
            meanwhile();
            mine = partial<accumulator>(fold_rows(block, begin, x));
        } else {
            append_rest(block, begin, end, mine, meanwhile);
        }
        return mine;
    }

private:
    RANKFOLD_DEVICE accumulator fold_batch(const simt::block& block, std::int64_t at) const
    {
        lane_elements x[Rows];
        load_rows(source, at + block.lane() * Vector, row, x);
        return fold_rows(block, at, x);
    }

    RANKFOLD_DEVICE accumulator fold_rows(const simt::block& block, std::int64_t at,
                                          const lane_elements (&x)[Rows]) const
    {
        accumulator all = fold_row(block, at + block.lane() * Vector, x[0]);
        RANKFOLD_UNROLL
        for (int r = 1; r < Rows; ++r) {
            all = algebra.combine(all, fold_row(block, at + r * row + block.lane() * Vector, x[r]));
        }
        return all;
    }

    RANKFOLD_DEVICE accumulator fold_row(const simt::block& block, std::int64_t index,
                                         const lane_elements& x) const
    {
        const accumulator mine = lane_work<A, Vector>::fold(algebra, x, base + index);
        if constexpr (A::commutative) {
            return mine;
        } else {
            return warp_fold(block, algebra, mine);
        }
    }

    /// Less than a batch: whole rows and one that is not. All is asked for before any of it is looked at.
    template <class Meanwhile>
    RANKFOLD_DEVICE void append_rest(const simt::block& block, std::int64_t at, std::int64_t end,
                                     partial<accumulator>& all, Meanwhile meanwhile) const
    {
        const int whole = static_cast<int>(end - at) / row;
        const std::int64_t rest = at + whole * row;
        lane_elements last;
        load_some(source, rest + block.lane() * Vector, end, last);
        meanwhile();
        if (whole > 0) {
            append_whole(block, at + block.lane() * Vector, whole, all);
        }
        if (rest < end) {
            append_row(block, rest, end, last, all);
        }
    }

    /// Rows of which the lane's elements begin at `index`; in place of those that do not exist the first one
    /// is loaded again.
    RANKFOLD_DEVICE void append_whole(const simt::block& block, std::int64_t index, int count,
                                      partial<accumulator>& all) const
    {
        lane_elements x[Rows];
        RANKFOLD_UNROLL
        for (int r = 0; r + 1 < Rows; ++r) {
            source.load(index + (r < count ? r : 0) * row, x[r]);
        }
        RANKFOLD_UNROLL
        for (int r = 0; r + 1 < Rows; ++r) {
            if (r < count) {
                all.append(algebra, partial<accumulator>(fold_row(block, index + r * row, x[r])));
            }
        }
    }

    /// A row of which only the elements before `end` exist; the lane's are `x`.
    RANKFOLD_DEVICE void append_row(const simt::block& block, std::int64_t at, std::int64_t end,
                                    const lane_elements& x, partial<accumulator>& all) const
    {
        const std::int64_t index = at + block.lane() * Vector;
        partial<accumulator> mine;
        RANKFOLD_UNROLL
        for (int v = 0; v < Vector; ++v) {
            if (index + v < end) {
                mine.append(algebra, partial<accumulator>(algebra.lift(x.at[v].value, base + index + v)));
            }
        }
        if constexpr (A::commutative) {
            all.append(algebra, mine);
        } else {
            const std::int64_t owners = (end - at + Vector - 1) / Vector;
            const int valid = owners < simt::warp_size ? static_cast<int>(owners) : simt::warp_size;
            all.append(algebra, partial<accumulator>(warp_fold(block, algebra, mine.value(), valid)));
        }
    }
};

template <Algebra A, Source S, reduce_tuning Tuning>
struct range_fold {
    using accumulator = typename A::accumulator;
    using rows = row_fold<A, S, Tuning.vector, Tuning.rows>;
    static constexpr int warps = Tuning.threads / simt::warp_size;
    static constexpr std::int64_t batch = rows::batch;
    static constexpr std::int64_t pass = batch * warps;

    const A& algebra;
    const S& source;

    /// Folds [first, last), not empty, of which every chunk but the last of a piece has `length` elements, a
    /// multiple of `pass`. Returns the number of warps that have a value; those values are in `folds` after
    /// the block's barrier.
    RANKFOLD_DEVICE int run(const simt::block& block, std::int64_t first, std::int64_t last,
                            std::int64_t length, uninitialised<accumulator>* folds) const
    {
        const std::int64_t segment = A::commutative ? batch : length / warps;
        const std::int64_t step = A::commutative ? pass : batch;
        const std::int64_t begin = first + block.warp() * segment;
        const std::int64_t end = A::commutative || begin + segment > last ? last : begin + segment;
        if (begin < last) {
            leave(block, rows{algebra, source}.run(block, begin, end, step), last - begin, folds);
        }
        return warps_with(last - first, segment);
    }

    /// As `run`, of the pass that begins at `first`, or of what there is of it before element `count` of the
    /// piece. All warps call meanwhile(), when they have asked for elements, if they have any.
    template <class Meanwhile>
    RANKFOLD_DEVICE int run_once(const simt::block& block, int first, int count,
                                 uninitialised<accumulator>* folds, Meanwhile meanwhile) const
    {
        const int begin = first + block.warp() * static_cast<int>(batch);
        if (begin < count) {
            leave(block, rows{algebra, source}.run_once(block, begin, count, meanwhile), count - begin,
                  folds);
        } else {
            meanwhile();
        }
        return warps_with(count - first, static_cast<int>(batch));
    }

private:
    /// The fold of the warp from those of its lanes; `left` elements exist from its first one on.
    template <class Count>
    RANKFOLD_DEVICE void leave(const simt::block& block, const partial<accumulator>& mine, Count left,
                               uninitialised<accumulator>* folds) const
    {
        const Count owners = (left + Tuning.vector - 1) / Tuning.vector;
        const int valid = !A::commutative            ? 1
                          : owners < simt::warp_size ? static_cast<int>(owners)
                                                     : simt::warp_size;
        const accumulator all = warp_fold(block, algebra, mine.value(), valid);
        if (block.lane() == 0) {
            folds[block.warp()].value = all;
        }
    }

    /// Warps that have some of `left` elements, `segment` each.
    template <class Count>
    RANKFOLD_DEVICE static int warps_with(Count left, Count segment)
    {
        const Count used = (left + segment - 1) / segment;
        return used < warps ? static_cast<int>(used) : warps;
    }
};

} // namespace rankfold::device
