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

template <Algebra A, int Group>
class lookback {
public:
    using accumulator = typename A::accumulator;
    using table = tile_table<accumulator, Group>;
    static_assert(Group <= simt::warp_size);

    RANKFOLD_DEVICE explicit lookback(const partial<accumulator>& init) : groups_(init), next_(0) {}

    /// The carry of `tile`, in every lane. Returns false if the communicator failed meanwhile.
    RANKFOLD_DEVICE bool run(const simt::block& block, const A& algebra, const table& states,
                             std::uint32_t epoch, std::int64_t tile, const failure_word* failure,
                             partial<accumulator>& carry)
    {
        while (next_ + ahead * Group <= tile) {
            if (!append_groups<ahead>(block, algebra, states, epoch, failure)) {
                return false;
            }
        }
        while (next_ + Group <= tile) {
            if (!append_groups<1>(block, algebra, states, epoch, failure)) {
                return false;
            }
        }
        carry = groups_;
        const int rest = static_cast<int>(tile - next_);
        if (rest > 0) {
            view seen;
            const std::uint64_t* mine = states.stamped_fold(next_ + (block.lane() < rest ? block.lane() : 0));
            seen.look(mine);
            if (!await(block, seen, mine, epoch, failure)) {
                return false;
            }
            const accumulator fold = warp_fold(block, algebra, seen.value(), rest);
            carry.append(algebra, partial<accumulator>(block.shuffle(fold, 0)));
        }
        return true;
    }

private:
    using view = stamped_view<accumulator>;
    static constexpr int ahead = groups_ahead(stamped_words<accumulator>);

    partial<accumulator> groups_; ///< init and whole groups before next_
    std::int64_t next_;           ///< a multiple of Group

    template <int Count>
    RANKFOLD_DEVICE bool append_groups(const simt::block& block, const A& algebra, const table& states,
                                       std::uint32_t epoch, const failure_word* failure)
    {
        const int member = block.lane() < Group ? block.lane() : 0;
        view seen[Count];
        RANKFOLD_UNROLL
        for (int g = 0; g < Count; ++g) {
            seen[g].look(states.stamped_fold(next_ + g * Group + member));
        }
        uninitialised<accumulator> folds[Count];
        RANKFOLD_UNROLL
        for (int g = 0; g < Count; ++g) {
            if (!await(block, seen[g], states.stamped_fold(next_ + g * Group + member), epoch, failure)) {
                return false;
            }
            folds[g].value = warp_fold(block, algebra, seen[g].value(), Group);
        }
        RANKFOLD_UNROLL
        for (int g = 0; g < Count; ++g) {
            groups_.append(algebra, partial<accumulator>(block.shuffle(folds[g].value, 0)));
        }
        next_ += Count * Group;
        return true;
    }

    RANKFOLD_DEVICE static bool await(const simt::block& block, view& seen, const std::uint64_t* words,
                                      std::uint32_t epoch, const failure_word* failure)
    {
        const bool there = simt::spin_until(
            [&] {
                if (!seen.complete(epoch)) {
                    seen.look(words);
                }
                return seen.complete(epoch);
            },
            [&] { return has_failed(failure); });
        return block.all(there);
    }
};

} // namespace rankfold::device
