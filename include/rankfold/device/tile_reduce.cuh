// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// tile_reduce: the first pass of a scan on several ranks. Leaves the fold of every tile, what stands before
// every group of tiles in the piece, and the record of the piece.
//
//   1. Persistent blocks take tiles by ticket and fold them (range_fold.cuh); the fold goes to the workspace.
//   2. The block that brings the last tile of a group (a ticket that resets itself) folds the group, while
//   its other warps
//      already read the next tile.
//   3. The last block to finish scans the groups' folds and writes the record.
//
// Traffic: each element is read once; a few bytes per tile. No block waits for another.
#pragma once

#include "rankfold/device/range_fold.cuh"
#include "rankfold/device/workspace.cuh"

namespace rankfold::device {

template <Algebra A, Source S, reduce_tuning Fold, scan_tuning Tuning>
struct tile_reduce_kernel {
    using accumulator = typename A::accumulator;
    using folder = range_fold<A, S, Fold>;
    static constexpr int threads = Fold.threads;
    static constexpr int resident = Fold.resident;
    static constexpr int warps = folder::warps;
    static constexpr int group = Tuning.group;
    static_assert(Tuning.tile() % folder::pass == 0 && group <= simt::warp_size);

    struct arguments {
        A algebra;
        S source;
        std::int64_t count;
        std::int64_t tiles;
        std::byte* record;
        device::control* control;
        tile_table<accumulator, Tuning.group> table;
        const failure_word* failure;
    };

    struct storage {
        uninitialised<accumulator> folds[2][warps]; // of alternating tiles
        std::int64_t next[2];
        bool failed;
        bool last;
    };

    RANKFOLD_DEVICE static void run(simt::block& block, const arguments& args, storage& shared)
    {
        if (block.thread() == 0) {
            shared.failed = has_failed(args.failure);
        }
        int half = 0;
        for (std::int64_t tile = block.index(); tile < args.tiles; half ^= 1) {
            if (block.thread() == 0) {
                shared.next[half] =
                    block.count() + static_cast<std::int64_t>(simt::atomic_add(&args.control->ticket, 1U));
            }
            const std::int64_t first = tile * Tuning.tile();
            const std::int64_t last = first + Tuning.tile() < args.count ? first + Tuning.tile() : args.count;
            const int valid =
                folder{args.algebra, args.source}.run(block, first, last, Tuning.tile(), shared.folds[half]);
            block.sync();
            if (shared.failed) {
                return;
            }
            if (block.warp() == 0) {
                publish(block, args, tile, shared.folds[half], valid);
            }
            tile = shared.next[half];
        }
        finish(block, args, shared);
    }

private:
    RANKFOLD_DEVICE static void publish(const simt::block& block, const arguments& args, std::int64_t tile,
                                        const uninitialised<accumulator>* folds, int valid)
    {
        const accumulator fold =
            warp_fold_list(block, args.algebra, valid, [&](int w) -> accumulator { return folds[w].value; });
        const std::int64_t mine = tile / group;
        const std::int64_t left = args.tiles - mine * group;
        const auto others = static_cast<std::uint32_t>((left < group ? left : group) - 1);
        bool last = false;
        if (block.lane() == 0) {
            store_plain(args.table.fold(tile), fold);
            simt::fence<simt::scope::device>();
            last = simt::atomic_increment(args.table.arrivals(mine), others) == others;
            simt::fence<simt::scope::device>();
        }
        if (block.shuffle(last, 0)) {
            block.sync_warp(); // what lane 0 has acquired, for the other lanes: a shuffle orders no memory
            const int lane = block.lane() <= static_cast<int>(others) ? block.lane() : 0;
            const accumulator member = load_plain<accumulator>(args.table.fold(mine * group + lane));
            const accumulator all = warp_fold(block, args.algebra, member, static_cast<int>(others) + 1);
            if (block.lane() == 0) {
                store_plain(args.table.group(mine), all);
            }
        }
    }

    RANKFOLD_DEVICE static void finish(const simt::block& block, const arguments& args, storage& shared)
    {
        if (args.tiles == 0) {
            if (block.thread() == 0 && !shared.failed) {
                write_record(args.record, partial<accumulator>());
            }
            return;
        }
        if (block.thread() == 0) {
            shared.last = arrive_last(block, args.control);
        }
        block.sync();
        if (shared.last) {
            scan_groups(block, args, shared);
        }
    }

    /// Every thread folds a run of groups; then what stands before the runs is found, and the runs are walked
    /// again.
    RANKFOLD_DEVICE static void scan_groups(const simt::block& block, const arguments& args, storage& shared)
    {
        const std::int64_t groups = (args.tiles + group - 1) / group;
        const std::int64_t run = (groups + threads - 1) / threads;
        const std::int64_t first = block.thread() * run;
        const std::int64_t last = first + run < groups ? first + run : groups;
        partial<accumulator> mine;
        for (std::int64_t g = first; g < last; ++g) {
            mine.append(args.algebra, load_group(args, g));
        }
        partial<accumulator> before = before_thread(block, args.algebra, mine, shared);
        for (std::int64_t g = first; g < last; ++g) {
            const partial<accumulator> fold = load_group(args, g);
            if (before.has_value()) {
                store_plain(args.table.group(g), before.value());
            }
            before.append(args.algebra, fold);
            if (g == groups - 1) {
                write_record(args.record,
                             partial<accumulator>(args.algebra.seal(before.value(), args.count)));
            }
        }
        if (block.thread() == 0) {
            simt::store_relaxed<simt::scope::device>(&args.control->ticket, 0U);
        }
    }

    RANKFOLD_DEVICE static partial<accumulator> load_group(const arguments& args, std::int64_t g)
    {
        return partial<accumulator>(load_plain<accumulator>(args.table.group(g)));
    }

    /// The fold over the threads below; those without a value stand above all that have one.
    RANKFOLD_DEVICE static partial<accumulator> before_thread(const simt::block& block, const A& algebra,
                                                              const partial<accumulator>& mine,
                                                              storage& shared)
    {
        partial<accumulator> upto = mine;
        for (int delta = 1; delta < simt::warp_size; delta *= 2) {
            partial<accumulator> left = block.shuffle_up(upto, delta);
            if (block.lane() >= delta) {
                left.append(algebra, upto);
                upto = left;
            }
        }
        if (block.lane() == simt::warp_size - 1 && upto.has_value()) {
            shared.folds[0][block.warp()].value = upto.value();
        }
        const bool warp_full = block.shuffle(mine.has_value(), 0);
        block.sync();
        partial<accumulator> before;
        for (int w = 0; w < block.warp() && warp_full; ++w) {
            before.append(algebra, partial<accumulator>(shared.folds[0][w].value));
        }
        const partial<accumulator> left = block.shuffle_up(upto, 1);
        if (block.lane() > 0) {
            before.append(algebra, left);
        }
        return before;
    }
};

} // namespace rankfold::device
