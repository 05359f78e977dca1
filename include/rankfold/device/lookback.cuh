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

#include "rankfold/device/tuning.hpp"
#include "rankfold/device/warp.cuh"
#include "rankfold/device/workspace.cuh"

namespace rankfold::device {

/// Ahead: groups whose words are asked for at once, so that their latencies overlap.
template <Algebra A, int Group, int Ahead>
class lookback {
public:
    using accumulator = typename A::accumulator;
    using table = tile_table<accumulator, Group>;
    static_assert(Group <= simt::warp_size);

    RANKFOLD_DEVICE explicit lookback(const partial<accumulator>& init) : groups_(init), next_(0) {}

    /// The carry of `tile`, in lane 0. Returns false if the communicator failed meanwhile.
    RANKFOLD_DEVICE bool run(const simt::block& block, const A& algebra, const table& states,
                             std::uint32_t epoch, std::int64_t tile, const failure_word* failure,
                             partial<accumulator>& carry)
    {
        while (next_ + Ahead * Group <= tile) {
            view seen[Ahead];
            if (!gather(block, states, epoch, Ahead * Group, failure, seen)) {
                return false;
            }
            append(block, algebra, Ahead * Group, seen);
        }
        const int left = static_cast<int>(tile - next_);
        partial<accumulator> rest;
        if (left > 0) {
            view seen[Ahead];
            if (!gather(block, states, epoch, left, failure, seen)) {
                return false;
            }
            rest = append(block, algebra, left, seen);
        }
        carry = groups_;
        carry.append(algebra, rest);
        return true;
    }

private:
    using view = stamped_view<accumulator>;

    partial<accumulator> groups_; ///< init and whole groups before next_
    std::int64_t next_;           ///< a multiple of Group

    /// The folds of the next `left` tiles, at least one: a group in each of `seen`, a tile in each lane. Lanes past
    /// the tiles repeat one that is there; groups past them hold nothing.
    RANKFOLD_DEVICE bool gather(const simt::block& block, const table& states, std::uint32_t epoch, int left,
                                const failure_word* failure, view (&seen)[Ahead]) const
    {
        const auto words = [&](int g) {
            const int member = g * Group + (block.lane() < Group ? block.lane() : 0);
            return states.stamped_fold(next_ + (member < left ? member : 0));
        };
        RANKFOLD_UNROLL
        for (int g = 0; g < Ahead; ++g) {
            if (g == 0 || g * Group < left) {
                seen[g].look(words(g));
            }
        }
        bool there = true;
        RANKFOLD_UNROLL
        for (int g = 0; g < Ahead; ++g) {
            if (g == 0 || g * Group < left) {
                there = there && await(seen[g], words(g), epoch, failure);
            } else {
                seen[g] = seen[0]; // so that all groups can be folded side by side
            }
        }
        return block.all(there);
    }

    /// Appends the whole groups among the next `left` tiles; returns the fold of the tiles after them.
    RANKFOLD_DEVICE partial<accumulator> append(const simt::block& block, const A& algebra, int left,
                                                const view (&seen)[Ahead])
    {
        const int whole = left / Group;
        const int after = left % Group;
        uninitialised<accumulator> folds[Ahead];
        RANKFOLD_UNROLL
        for (int g = 0; g < Ahead; ++g) {
            folds[g].value = warp_fold(block, algebra, seen[g].value(), g == whole && after > 0 ? after : Group);
        }
        partial<accumulator> rest;
        RANKFOLD_UNROLL
        for (int g = 0; g < Ahead; ++g) {
            if (g < whole) {
                groups_.append(algebra, partial<accumulator>(folds[g].value));
            } else if (g == whole && after > 0) {
                rest = partial<accumulator>(folds[g].value);
            }
        }
        next_ += std::int64_t{whole} * Group;
        return rest;
    }

    RANKFOLD_DEVICE static bool await(view& seen, const std::uint64_t* words, std::uint32_t epoch,
                                      const failure_word* failure)
    {
        return simt::spin_until(
            [&] {
                if (!seen.complete(epoch)) {
                    seen.look(words);
                }
                return seen.complete(epoch);
            },
            [&] { return has_failed(failure); });
    }
};

} // namespace rankfold::device
