// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The carries of a block's tiles, by one warp that follows the folds of all tiles:
//
//   1. A lane has a few consecutive tiles of a window, and as many of the next window, whose folds it asks
//      for ahead of time.
//   2. It looks at their published folds until they are there. What stands before a tile is known as soon as
//      the folds of all tiles to its left are there; a lane that waits for the carry of a tile gets it then.
//   3. When the window is complete, the next one takes its place.
//
// carry(t) = init and the windows before, left to right; then the lanes of the window before; then the tiles
// of the lane before. The same bits in every block, whatever arrived when. Nobody publishes a carry.
//
// Source: D. Merrill, M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016, from
// which this differs: a warp that looked back from each tile by itself would read the same folds again and
// again, and could not keep up with the tiles.
#pragma once

#include "rankfold/device/tuning.hpp"
#include "rankfold/device/warp.cuh"
#include "rankfold/device/workspace.cuh"

namespace rankfold::device {

template <Algebra A, int Group>
class follower {
public:
    using accumulator = typename A::accumulator;
    using table = tile_table<accumulator, Group>;
    static constexpr std::int64_t nothing = -1;
    static constexpr int per_lane = table::per_lane;
    static constexpr int window = per_lane * simt::warp_size;
    static constexpr int windows = windows_followed;

    /// In shared memory, for the warp alone.
    struct folds {
        uninitialised<accumulator> at[window];
    };

    /// By a whole warp.
    RANKFOLD_DEVICE follower(const simt::block& block, const table& states, std::int64_t tiles,
                             const partial<accumulator>& init)
        : states_(states), tiles_(tiles), before_(init), mine_(block.lane() * per_lane)
    {
        RANKFOLD_UNROLL
        for (int w = 0; w < windows; ++w) {
            words_[w] = states_.stamped_fold(w * window + mine_);
        }
    }

    /// Looks at the folds that were not there before.
    RANKFOLD_DEVICE void look(std::uint32_t stamp)
    {
        RANKFOLD_UNROLL
        for (int w = 0; w < windows; ++w) {
            RANKFOLD_UNROLL
            for (int i = 0; i < per_lane; ++i) {
                if (first_ + w * window + mine_ + i < tiles_ && !seen_[w][i].complete(stamp)) {
                    seen_[w][i].look(words_[w] + i * table::next_in_lane);
                }
            }
        }
    }

    /// `wanted`: the tile whose carry the lane waits for, or nothing. Windows that are complete are gone
    /// after this: every tile of the block whose fold was there at the last look must be wanted by a lane
    /// now, or have had its carry. True in lanes whose carry is now in `carry`.
    RANKFOLD_DEVICE bool find(const simt::block& block, const A& algebra, std::uint32_t stamp,
                              std::int64_t wanted, partial<accumulator>& carry, folds& upto)
    {
        bool found = false;
        for (bool complete = true; complete;) {
            const int there = count(block, stamp);
            const std::int64_t ahead = wanted - first_;
            const bool here = wanted != nothing && !found && ahead < window && ahead <= there;
            complete = there == window;
            if (complete || block.ballot(here) != 0) {
                scan_window(block, algebra, upto);
                if (here) {
                    found = true;
                    carry = before_;
                    if (ahead > 0) {
                        carry.append(algebra, partial<accumulator>(upto.at[ahead - 1].value));
                    }
                }
                if (complete) {
                    advance(algebra, upto.at[window - 1].value);
                }
                block.sync_warp();
            }
        }
        return found;
    }

private:
    using view = stamped_view<accumulator>;

    table states_;
    std::int64_t tiles_;
    partial<accumulator> before_; ///< the window
    std::int64_t first_ = 0;      ///< tile of the window
    int mine_;                    ///< the lane's first tile in a window
    const std::uint64_t* words_[windows];
    view seen_[windows][per_lane]; ///< of the window and the next ones

    /// How many tiles of the window, from the left, have their folds there.
    RANKFOLD_DEVICE int count(const simt::block& block, std::uint32_t stamp) const
    {
        int have = 0;
        RANKFOLD_UNROLL
        for (int i = 0; i < per_lane; ++i) {
            have += have == i && seen_[0][i].complete(stamp) ? 1 : 0;
        }
        const int waiting = simt::lowest_bit(block.ballot(have < per_lane)); // the warp size where none is
        return waiting < simt::warp_size ? waiting * per_lane + block.shuffle(have, waiting) : window;
    }

    /// What the window holds up to and with each of its tiles; right up to the last one that is there.
    RANKFOLD_DEVICE void scan_window(const simt::block& block, const A& algebra, folds& upto) const
    {
        uninitialised<accumulator> lane; // tiles that are not there count as something else
        lane.value = seen_[0][0].value();
        RANKFOLD_UNROLL
        for (int i = 1; i < per_lane; ++i) {
            lane.value = algebra.combine(lane.value, seen_[0][i].value());
        }
        lane.value = warp_scan(block, algebra, lane.value);
        const accumulator below = block.shuffle_up(lane.value, 1);
        partial<accumulator> all;
        if (block.lane() > 0) {
            all = partial<accumulator>(below);
        }
        RANKFOLD_UNROLL
        for (int i = 0; i < per_lane; ++i) {
            all.append(algebra, partial<accumulator>(seen_[0][i].value()));
            upto.at[mine_ + i].value = all.value();
        }
        block.sync_warp();
    }

    /// `fold`: of the window.
    RANKFOLD_DEVICE void advance(const A& algebra, const accumulator& fold)
    {
        before_.append(algebra, partial<accumulator>(fold));
        first_ += window;
        RANKFOLD_UNROLL
        for (int w = 0; w + 1 < windows; ++w) {
            words_[w] = words_[w + 1];
            RANKFOLD_UNROLL
            for (int i = 0; i < per_lane; ++i) {
                seen_[w][i] = seen_[w + 1][i];
            }
        }
        words_[windows - 1] = states_.stamped_fold(first_ + (windows - 1) * window + mine_);
        RANKFOLD_UNROLL
        for (int i = 0; i < per_lane; ++i) {
            seen_[windows - 1][i] = view();
        }
    }
};

} // namespace rankfold::device
