// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// tile_reduce: the first pass of a scan on several ranks. Leaves the fold of every tile, what stands before
// every group of tiles in the piece, and the record of the piece.
//
//   1. Warps take tiles by ticket and fold them (range_fold.cuh), each by itself, so that no barrier stands
//      between one tile's loads and the next's; the fold goes to the workspace.
//   2. The warp that brings the last tile of a group (a ticket that resets itself) folds the group.
//   3. The last block to finish scans the groups' folds and writes the record.
//   4. It exchanges the record and folds over the ranks (conclude.cuh), if it is to.
//
// Traffic: each element is read once; a few bytes per tile. No block waits for another; step 4 waits for
// other ranks.
#pragma once

#include "rankfold/device/block.cuh"
#include "rankfold/device/conclude.cuh"
#include "rankfold/device/range_fold.cuh"
#include "rankfold/device/workspace.cuh"

namespace rankfold::device {

template <Algebra A, Source S, reduce_tuning Fold, scan_tuning Tuning>
struct tile_reduce_kernel {
    using accumulator = typename A::accumulator;
    using folder = row_fold<A, S, Fold.vector, Fold.rows>;
    static constexpr int threads = Fold.threads;
    static constexpr int resident = Fold.resident;
    static constexpr int warps = Fold.threads / simt::warp_size;
    static constexpr int group = Tuning.group;
    static_assert(Tuning.tile() % folder::batch == 0 && group <= simt::warp_size);

    struct arguments {
        A algebra;
        S source;
        std::int64_t count;
        std::int64_t tiles;
        std::byte* record;
        device::control* control;
        tile_table<accumulator, Tuning.group> table;
        device::ending end;
    };

    struct storage {
        thread_prefixes<accumulator, warps> befores; // of the runs of groups
        bool last;
        typename conclude<A>::storage end;
    };

    RANKFOLD_DEVICE static void run(simt::block& block, const arguments& args, storage& shared)
    {
        conclude<A>::settle(block, args.end, conclude<A>::open(block, args.end, shared.end), shared.end);
        block.sync();
        if (shared.end.failed) {
            return;
        }
        const std::int64_t workers = std::int64_t{block.count()} * warps;
        std::int64_t tile = std::int64_t{block.warp()} * block.count() + block.index();
        // A fold is announced one tile after it was stored, and the answer looked at one tile later still, so
        // that no load waits for either.
        std::int64_t stored = none;
        arrival announced{none, 0};
        while (tile < args.tiles) {
            std::uint32_t ticket = 0;
            if (block.lane() == 0) {
                ticket = simt::atomic_add(&args.control->ticket, 1U);
            }
            const accumulator fold = fold_tile(block, args, tile);
            settle(block, args, announced);
            announced = announce(block, args, stored);
            if (block.lane() == 0) {
                store_plain(args.table.fold(tile), fold);
            }
            stored = tile;
            tile = workers + block.shuffle(ticket, 0);
        }
        settle(block, args, announced);
        settle(block, args, announce(block, args, stored));
        finish(block, args, shared);
    }

private:
    /// In lane 0.
    RANKFOLD_DEVICE static accumulator fold_tile(const simt::block& block, const arguments& args,
                                                 std::int64_t tile)
    {
        const std::int64_t first = tile * Tuning.tile();
        const std::int64_t last = first + Tuning.tile() < args.count ? first + Tuning.tile() : args.count;
        const partial<accumulator> mine =
            folder{args.algebra, args.source}.run(block, first, last, folder::batch);
        if constexpr (A::commutative) {
            const std::int64_t owners = (last - first + Fold.vector - 1) / Fold.vector;
            return warp_fold(block, args.algebra, mine.value(),
                             owners < simt::warp_size ? static_cast<int>(owners) : simt::warp_size);
        } else {
            return mine.value();
        }
    }

    static constexpr std::int64_t none = -1;

    /// What the ticket of a tile's group said.
    struct arrival {
        std::int64_t tile;
        std::uint32_t before; ///< in lane 0: tiles of the group that were there before
    };

    RANKFOLD_DEVICE static std::uint32_t others_in_group(const arguments& args, std::int64_t tile)
    {
        const std::int64_t left = args.tiles - tile / group * group;
        return static_cast<std::uint32_t>((left < group ? left : group) - 1);
    }

    RANKFOLD_DEVICE static arrival announce(const simt::block& block, const arguments& args,
                                            std::int64_t tile)
    {
        arrival result{tile, 0};
        if (tile != none && block.lane() == 0) {
            simt::fence<simt::scope::device>();
            result.before =
                simt::atomic_increment(args.table.arrivals(tile / group), others_in_group(args, tile));
        }
        return result;
    }

    /// The warp of the group's last arrival folds it.
    RANKFOLD_DEVICE static void settle(const simt::block& block, const arguments& args,
                                       const arrival& announced)
    {
        if (announced.tile == none) {
            return;
        }
        const std::uint32_t others = others_in_group(args, announced.tile);
        const bool last = block.shuffle(announced.before, 0) == others;
        if (last) {
            if (block.lane() == 0) {
                simt::fence<simt::scope::device>();
            }
            block.sync_warp(); // what lane 0 has acquired, for the other lanes: a shuffle orders no memory
            const std::int64_t mine = announced.tile / group;
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
        if (args.tiles > 0) {
            block.sync(); // what all warps have published stands before the arrival
            if (block.thread() == 0) {
                shared.last = arrive_last(block, args.control);
            }
            block.sync();
            if (!shared.last) {
                return;
            }
            conclude<A>::claim(block, args.end, shared.end);
            scan_groups(block, args, shared);
        } else if (block.thread() == 0) {
            leave(args, shared, {});
        }
        conclude<A>::run(block, args.algebra, args.end, shared.end);
    }

    RANKFOLD_DEVICE static void leave(const arguments& args, storage& shared, const partial<accumulator>& all)
    {
        conclude<A>::leave(args.algebra, args.end, shared.end, args.record, all);
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
        walk_groups(args, first, last,
                    [&](std::int64_t, const partial<accumulator>& fold) { mine.append(args.algebra, fold); });
        const auto valid = static_cast<int>((groups + run - 1) / run);
        if (const auto some = block.shuffle(mine, 0); !mine.has_value()) {
            mine = some;
        }
        partial<accumulator> before = shared.befores.before(block, args.algebra, mine, valid);
        walk_groups(args, first, last, [&](std::int64_t g, const partial<accumulator>& fold) {
            if (before.has_value()) {
                store_plain(args.table.group(g), before.value());
            }
            before.append(args.algebra, fold);
            if (g == groups - 1) {
                leave(args, shared, partial<accumulator>(args.algebra.seal(before.value(), args.count)));
            }
        });
        if (block.thread() == 0) {
            simt::store_relaxed<simt::scope::device>(&args.control->ticket, 0U);
        }
    }

    /// Calls visit(g, fold) for a run of groups, several of whose folds are asked for at once.
    template <class Visit>
    RANKFOLD_DEVICE static void walk_groups(const arguments& args, std::int64_t first, std::int64_t last,
                                            Visit visit)
    {
        constexpr int ahead = group_folds_ahead(plain_words<accumulator>);
        for (std::int64_t g = first; g < last; g += ahead) {
            uninitialised<accumulator> folds[ahead];
            RANKFOLD_UNROLL
            for (int i = 0; i < ahead; ++i) {
                folds[i].value = load_plain<accumulator>(args.table.group(g + i < last ? g + i : g));
            }
            RANKFOLD_UNROLL
            for (int i = 0; i < ahead; ++i) {
                if (g + i < last) {
                    visit(g + i, partial<accumulator>(folds[i].value));
                }
            }
        }
    }
};

} // namespace rankfold::device
