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
    static constexpr int warps = Threads / simt::warp_size;

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

    /// By a whole block: every thread folds a run, then the block folds its threads. In thread 0.
    /// @param folds    in shared memory, of `warps` warps
    /// @param gave_up  in shared memory; set where the communicator fails meanwhile, or another call writes
    ///                 over the partials, and then the fold is none
    RANKFOLD_DEVICE partial<accumulator> fold(const simt::block& block, const A& algebra, std::uint32_t epoch,
                                              const failure_report& failure,
                                              uninitialised<accumulator>* folds, bool& gave_up) const
    {
        const int run = most_run > 1 ? (count + Threads - 1) / Threads : 1;
        const int valid = (count + run - 1) / run;
        const int valid_lanes = valid - block.warp() * simt::warp_size;
        if (valid_lanes > 0) {
            const int first = block.thread() < valid ? block.thread() * run : 0;
            const int last = first + run < count ? first + run : count;
            accumulator mine = fold_run(algebra, first, last, epoch, failure, gave_up);
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
    RANKFOLD_DEVICE accumulator fold_run(const A& algebra, int first, int last, std::uint32_t epoch,
                                         const failure_report& failure, bool& gave_up) const
    {
        stamped_view<accumulator> seen[most_run];
        const auto wanted = [&](int i) { return first + i < last; };
        const auto overtaken = [&] {
            bool any = false;
            RANKFOLD_UNROLL
            for (int i = 0; i < most_run; ++i) {
                any = any || (wanted(i) && seen[i].is_overtaken(epoch));
            }
            return any;
        };
        const auto give_up = [&] {
            if (overtaken()) {
                fail(failure, errc::busy);
                return true;
            }
            return has_failed(failure.word);
        };
        const bool there = await_stamped<most_run>(
            epoch, wanted, [&](int i) -> stamped_view<accumulator>& { return seen[i]; },
            [&](int i) { return at(first + i); }, give_up);
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
