// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The partials of the chunks of a piece: every block leaves those that it has folded, stamped, and one block
// waits for all of them and folds them left to right.
#pragma once

#include "rankfold/device/await.cuh"
#include "rankfold/device/control.cuh"
#include "rankfold/device/warp.cuh"

namespace rankfold::device {

/// @tparam Most  partials, at most
template <Algebra A, int Threads, int Most>
struct chunk_partials {
    using accumulator = typename A::accumulator;
    static constexpr int most_run = (Most + Threads - 1) / Threads; ///< partials that a thread folds

    std::uint64_t* words;
    int count;

    [[nodiscard]] RANKFOLD_DEVICE std::uint64_t* at(int chunk) const
    {
        return words + std::int64_t{chunk} * stamped_words<accumulator>;
    }
    [[nodiscard]] RANKFOLD_DEVICE std::uint64_t* end() const { return at(count); }

    RANKFOLD_DEVICE void leave(int chunk, const accumulator& all, std::uint32_t epoch) const
    {
        store_stamped(at(chunk), all, epoch);
    }

    /// By the whole block that made the last draw: every thread folds a run, then the block folds its
    /// threads. In thread 0.
    /// @param folds    in shared memory, one for each warp
    /// @param gave_up  in shared memory; set where the communicator fails or another call is seen meanwhile,
    ///                 and then the fold is none
    RANKFOLD_DEVICE partial<accumulator> fold(const simt::block& block, const A& algebra,
                                              const launch_draws& draws, const draw& drawn,
                                              uninitialised<accumulator>* folds, bool& gave_up) const
    {
        const int run = most_run > 1 ? (count + Threads - 1) / Threads : 1;
        const int valid = (count + run - 1) / run;
        const int valid_lanes = valid - block.warp() * simt::warp_size;
        if (valid_lanes > 0) {
            const int first = block.thread() < valid ? block.thread() * run : 0;
            const int last = first + run < count ? first + run : count;
            accumulator mine = fold_run(algebra, first, last, draws, drawn, gave_up);
            mine = warp_fold(block, algebra, mine, valid_lanes);
            if (block.lane() == 0) {
                folds[block.warp()].value = mine;
            }
        }
        block.sync();
        partial<accumulator> all;
        if (block.warp() == 0) {
            const int valid_warps = (valid + simt::warp_size - 1) / simt::warp_size;
            all = partial<accumulator>(warp_fold_list(block, algebra, valid_warps,
                                                      [&](int w) -> accumulator { return folds[w].value; }));
        }
        return all;
    }

private:
    /// Of partials [first, last), as soon as they are there.
    RANKFOLD_DEVICE accumulator fold_run(const A& algebra, int first, int last, const launch_draws& draws,
                                         const draw& drawn, bool& gave_up) const
    {
        stamped_view<accumulator> seen[most_run];
        const bool there = await_stamped<most_run>(
            drawn.epoch(), [&](int i) { return first + i < last; },
            [&](int i) -> stamped_view<accumulator>& { return seen[i]; },
            [&](int i) { return at(first + i); },
            [&] { return !draws.is_undisturbed(drawn) || has_failed(draws.failure.word); });
        if (!there) {
            gave_up = true;
        }
        accumulator all = seen[0].value();
        RANKFOLD_UNROLL
        for (int i = 1; i < most_run; ++i) {
            if (first + i < last) {
                all = algebra.combine(all, seen[i].value());
            }
        }
        return all;
    }
};

} // namespace rankfold::device
