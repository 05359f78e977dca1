// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A tile in the registers of a block: loaded, scanned within each warp, joined over the warps, stored.
//
//   1. load   each warp owns a run of rows; in a row every lane owns Vector consecutive elements. Past the
//             end of the piece the last element is read again: what it gives is never stored.
//   2. scan   serial in the lane, over the lanes by shuffles, over the rows in order. A lane keeps its
//             inclusive results and, for exclusive scans, what stands before its first element in the warp.
//   3. join   the caller's block folds the warps' totals in order.
//   4. store  what stands before the warp (carry and warps to the left) is combined in from the left.
//
// Traffic: each element is read once and written once.
#pragma once

#include "rankfold/device/source.cuh"
#include "rankfold/device/tuning.hpp"
#include "rankfold/device/warp.cuh"

namespace rankfold::device {

template <Algebra A, Source S, scan_tuning Tuning>
class warp_tile {
public:
    using accumulator = typename A::accumulator;
    using output = typename A::output;
    static constexpr int vector = Tuning.vector;
    static constexpr int rows = Tuning.rows;
    static constexpr int row = vector * simt::warp_size;

    /// Step 1: asks for the warp's rows of the tile at `tile_first`; `count` is the length of the piece.
    RANKFOLD_DEVICE void load(const simt::block& block, const S& source, std::int64_t tile_first,
                              std::int64_t count)
    {
        first_ = tile_first + std::int64_t{block.warp()} * row * rows + block.lane() * vector;
        count_ = count;
        if (tile_first + Tuning.tile() <= count) {
            RANKFOLD_UNROLL
            for (int r = 0; r < rows; ++r) {
                source.load(first_ + r * row, elements_[r]);
            }
        } else {
            RANKFOLD_UNROLL
            for (int r = 0; r < rows; ++r) {
                load_some(source, first_ + r * row, count, elements_[r]);
            }
        }
    }

    /// Step 2.
    RANKFOLD_DEVICE void scan(const simt::block& block, const A& algebra)
    {
        scan_rows(block, algebra, elements_);
    }

    /// What the warp's rows fold to; every lane has it.
    [[nodiscard]] RANKFOLD_DEVICE const accumulator& total() const { return total_.value; }

    /// In a tile that the piece ends in: what those elements of the warp fold to that are in the piece. Every
    /// lane has it. Anything in a warp that has none.
    [[nodiscard]] RANKFOLD_DEVICE accumulator total_to_end(const simt::block& block) const
    {
        const std::int64_t left = count_ - (first_ - block.lane() * vector);
        const int last = left < 1 ? 0 : left < row * rows ? static_cast<int>(left) - 1 : row * rows - 1;
        accumulator mine = inclusive_[0][0].value;
        RANKFOLD_UNROLL
        for (int r = 0; r < rows; ++r) {
            RANKFOLD_UNROLL
            for (int v = 0; v < vector; ++v) {
                const accumulator candidate = inclusive_[r][v].value; // so that no address is chosen
                if (r == last / row && v == last % vector) {
                    mine = candidate;
                }
            }
        }
        return block.shuffle(mine, last % row / vector);
    }

    /// Step 4: results behind `before`, which is the same in all lanes. `total` is null or takes the last
    /// result.
    template <class Sink>
    RANKFOLD_DEVICE void store(const simt::block& block, const A& algebra, const partial<accumulator>& before,
                               bool inclusive, const Sink& sink, void* total) const
    {
        RANKFOLD_UNROLL
        for (int r = 0; r < rows; ++r) {
            lane_vector<output, vector> y;
            const std::int64_t at = first_ + r * row;
            if (inclusive) {
                finish_inclusive(algebra, before, r, y);
            } else {
                finish_exclusive(block, algebra, before, r, y);
            }
            if (at + vector <= count_) {
                sink.store(at, y);
            } else {
                sink.store_some(at, count_, y);
            }
            if (total != nullptr && at < count_ && count_ <= at + vector) {
                store_total(algebra, before, r, total);
            }
        }
    }

private:
    lane_vector<typename S::value_type, vector> elements_[rows];
    uninitialised<accumulator> inclusive_[rows][vector]; ///< within the warp
    uninitialised<accumulator> before_[rows]; ///< of the lane, within the warp; none in lane 0 of row 0
    uninitialised<accumulator> total_;
    std::int64_t first_; ///< index of the lane's first element
    std::int64_t count_;

    RANKFOLD_DEVICE void scan_rows(const simt::block& block, const A& algebra,
                                   const lane_vector<typename S::value_type, vector> (&x)[rows])
    {
        uninitialised<accumulator> row_total[rows];
        RANKFOLD_UNROLL
        for (int r = 0; r < rows; ++r) {
            inclusive_[r][0].value = algebra.lift(x[r].at[0].value, first_ + r * row);
            RANKFOLD_UNROLL
            for (int v = 1; v < vector; ++v) {
                inclusive_[r][v].value = algebra.combine(
                    inclusive_[r][v - 1].value, algebra.lift(x[r].at[v].value, first_ + r * row + v));
            }
            before_[r] = inclusive_[r][vector - 1];
        }
        RANKFOLD_UNROLL
        for (int r = 0; r < rows; ++r) {
            before_[r].value = warp_scan(block, algebra, before_[r].value);
        }
        RANKFOLD_UNROLL
        for (int r = 0; r < rows; ++r) {
            row_total[r].value = block.shuffle(before_[r].value, simt::warp_size - 1);
            before_[r].value = block.shuffle_up(before_[r].value, 1);
        }
        total_ = row_total[0];
        if (block.lane() > 0) {
            combine_row(algebra, 0);
        }
        RANKFOLD_UNROLL
        for (int r = 1; r < rows; ++r) {
            before_[r].value =
                block.lane() > 0 ? algebra.combine(total_.value, before_[r].value) : total_.value;
            combine_row(algebra, r);
            total_.value = algebra.combine(total_.value, row_total[r].value);
        }
    }

    RANKFOLD_DEVICE void combine_row(const A& algebra, int r)
    {
        RANKFOLD_UNROLL
        for (int v = 0; v < vector; ++v) {
            inclusive_[r][v].value = algebra.combine(before_[r].value, inclusive_[r][v].value);
        }
    }

    RANKFOLD_DEVICE void finish_inclusive(const A& algebra, const partial<accumulator>& before, int r,
                                          lane_vector<output, vector>& y) const
    {
        RANKFOLD_UNROLL
        for (int v = 0; v < vector; ++v) {
            const accumulator& mine = inclusive_[r][v].value;
            y.at[v].value = algebra.lower(before.has_value() ? algebra.combine(before.value(), mine) : mine);
        }
    }

    RANKFOLD_DEVICE void finish_exclusive(const simt::block& block, const A& algebra,
                                          const partial<accumulator>& before, int r,
                                          lane_vector<output, vector>& y) const
    {
        if (r > 0 || block.lane() > 0) {
            y.at[0].value = algebra.lower(
                before.has_value() ? algebra.combine(before.value(), before_[r].value) : before_[r].value);
        } else if (before.has_value()) {
            y.at[0].value = algebra.lower(before.value());
        } else if constexpr (A::has_identity) {
            y.at[0].value = algebra.lower(algebra.identity());
        }
        RANKFOLD_UNROLL
        for (int v = 1; v < vector; ++v) {
            const accumulator& left = inclusive_[r][v - 1].value;
            y.at[v].value = algebra.lower(before.has_value() ? algebra.combine(before.value(), left) : left);
        }
    }

    RANKFOLD_DEVICE void store_total(const A& algebra, const partial<accumulator>& before, int r,
                                     void* total) const
    {
        RANKFOLD_UNROLL
        for (int v = 0; v < vector; ++v) {
            if (first_ + r * row + v == count_ - 1) {
                const accumulator& mine = inclusive_[r][v].value;
                *static_cast<output*>(total) =
                    algebra.lower(before.has_value() ? algebra.combine(before.value(), mine) : mine);
            }
        }
    }
};

/// What stands before each warp of a block, from the totals of its warps. Shared memory of the block.
template <class T, int Warps>
struct warp_prefixes {
    uninitialised<T> totals[Warps];

    /// The fold of carry and of the warps left of this one.
    template <Algebra A>
    RANKFOLD_DEVICE partial<T> before(const simt::block& block, const A& algebra,
                                      const partial<T>& carry) const
    {
        partial<T> all;
        if constexpr (sizeof(T) <= 4) { // asked for at once; wider ones take too many registers
            RANKFOLD_UNROLL
            for (int w = 0; w + 1 < Warps; ++w) {
                const T total = totals[w].value;
                if (w < block.warp()) {
                    all.append(algebra, partial<T>(total));
                }
            }
        } else {
            for (int w = 0; w < block.warp(); ++w) {
                all.append(algebra, partial<T>(totals[w].value));
            }
        }
        partial<T> result = carry;
        result.append(algebra, all);
        return result;
    }
};

} // namespace rankfold::device
