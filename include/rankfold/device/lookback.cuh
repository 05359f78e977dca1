// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The carry of a tile from the published partials of the tiles before it.
//
// carry(t) = init, then the folds of whole groups of tiles from the left, then the fold of the tiles left.
// The grouping counts from tile 0, so the bits are the same whoever asks. A warp asks for rising tiles and
// keeps what the whole groups gave, so it reads each partial about once. Nobody publishes a carry: a warp
// waits only for tiles to be loaded and reduced, never for another warp's look-back.
//
// Source: D. Merrill, M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016, from
// which this differs as said.
#pragma once

#include "rankfold/device/await.cuh"
#include "rankfold/device/tuning.hpp"
#include "rankfold/device/warp.cuh"
#include "rankfold/device/workspace.cuh"

namespace rankfold::device {

/// Rounds: a warp asks for several groups in a round, and for so many rounds at once, so that their latencies
/// overlap.
template <Algebra A, int Group, int Rounds>
class lookback {
public:
    using accumulator = typename A::accumulator;
    using table = tile_table<accumulator, Group>;

    /// One warp, which asks for rising tiles. Most of what it does is done once for all: a look-back that
    /// costs a thousand instructions takes longer than its tile.
    RANKFOLD_DEVICE lookback(const simt::block& block, const table& states, const partial<accumulator>& init)
        : groups_(init), next_(0),
          words_(states.stamped_fold(block.lane() / lanes * Group + block.lane() % lanes * per_lane))
    {
    }

    /// The carry of `tile`, in lane 0. Returns false if the communicator failed meanwhile.
    RANKFOLD_DEVICE bool run(const simt::block& block, const A& algebra, std::uint32_t epoch,
                             std::int64_t tile, const failure_word* failure, partial<accumulator>& carry)
    {
        partial<accumulator> rest;
        while (next_ < tile) {
            const std::int64_t all = tile - next_;
            const int left = all < at_once ? static_cast<int>(all) : at_once;
            view seen[Rounds][per_lane];
            if (!gather(block, epoch, left, failure, seen)) {
                return false;
            }
            rest = append(block, algebra, left, seen);
            if (left % Group != 0) {
                break;
            }
        }
        carry = groups_;
        carry.append(algebra, rest);
        return true;
    }

private:
    using view = stamped_view<accumulator>;
    static constexpr int per_lane = table::per_lane;         ///< consecutive tiles of a lane
    static constexpr int lanes = Group / per_lane;           ///< of a group
    static constexpr int together = simt::warp_size / lanes; ///< groups in a round
    static constexpr int at_once = Rounds * together * Group;
    static_assert(lanes <= simt::warp_size && Rounds > 0);

    partial<accumulator> groups_; ///< init and whole groups before next_
    std::int64_t next_;           ///< a multiple of Group
    const std::uint64_t* words_;  ///< of the lane's first tile from next_ on

    /// How many of the next `left` tiles stand at or after the lane's first one in round 0.
    RANKFOLD_DEVICE static int from_lane(const simt::block& block, int left)
    {
        return left - block.lane() * per_lane;
    }

    /// The folds of the next `left` tiles, as far as they belong to the lane.
    RANKFOLD_DEVICE bool gather(const simt::block& block, std::uint32_t epoch, int left,
                                const failure_word* failure, view (&seen)[Rounds][per_lane]) const
    {
        const int mine = from_lane(block, left);
        const bool there = await_stamped<Rounds * per_lane>(
            epoch, [&](int i) { return i / per_lane * together * Group + i % per_lane < mine; },
            [&](int i) -> view& { return seen[i / per_lane][i % per_lane]; },
            [&](int i) {
                return words_ + i / per_lane * together * table::stride + i % per_lane * table::next_in_lane;
            },
            [&] { return has_failed(failure); });
        return block.all(there);
    }

    /// Appends the whole groups among the next `left` tiles; returns the fold of the tiles after them.
    RANKFOLD_DEVICE partial<accumulator> append(const simt::block& block, const A& algebra, int left,
                                                const view (&seen)[Rounds][per_lane])
    {
        uninitialised<accumulator> folds[Rounds];
        RANKFOLD_UNROLL
        for (int r = 0; r < Rounds; ++r) {
            folds[r].value =
                fold_groups(block, algebra, from_lane(block, left) - r * together * Group, seen[r]);
        }
        partial<accumulator> rest;
        RANKFOLD_UNROLL
        for (int r = 0; r < Rounds; ++r) {
            RANKFOLD_UNROLL
            for (int g = 0; g < together; ++g) {
                const int first = (r * together + g) * Group;
                const partial<accumulator> fold(block.shuffle(folds[r].value, g * lanes));
                if (first + Group <= left) {
                    groups_.append(algebra, fold);
                } else if (first < left) {
                    rest = fold;
                }
            }
        }
        const int whole = left / Group;
        next_ += whole * Group;
        words_ += whole * table::stride;
        return rest;
    }

    /// The fold of each group of a round, in its first lane. `mine`: tiles from the lane's first on.
    RANKFOLD_DEVICE static accumulator fold_groups(const simt::block& block, const A& algebra, int mine,
                                                   const view (&seen)[per_lane])
    {
        uninitialised<accumulator> fold;
        fold.value = seen[0].value();
        RANKFOLD_UNROLL
        for (int i = 1; i < per_lane; ++i) {
            if (i < mine) {
                fold.value = algebra.combine(fold.value, seen[i].value());
            }
        }
        RANKFOLD_UNROLL
        for (int delta = 1; delta < lanes; delta *= 2) {
            const accumulator right = block.shuffle_down(fold.value, delta);
            if (block.lane() % lanes + delta < lanes && delta * per_lane < mine) {
                fold.value = algebra.combine(fold.value, right);
            }
        }
        return fold.value;
    }
};

} // namespace rankfold::device
