// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lookback_scan, register form: scans a piece in one pass, on any GPU.
//
//   1. Persistent blocks take tiles in rising order by ticket, so that a tile waits only for tiles that are
//      running or done; or, in a cooperative launch with a block for every tile, each block has the tile of
//      its own index.
//   2. The tile is loaded and scanned in registers (tile.cuh); its fold is published before anything waits.
//   3. The first warp looks back (lookback.cuh) and hands the carry to the block.
//   4. Each warp combines carry and warps to its left into its results and stores them.
//   5. The last block to finish sets the ticket back and moves the epoch on.
//
// Traffic: each element is read once and written once; a few bytes per tile.
// Waits: step 3, for the published folds of lower tiles. The holder of the lowest unpublished tile never
// waits, so one resident block is enough.
#pragma once

#include "rankfold/device/lookback.cuh"
#include "rankfold/device/tile.cuh"

namespace rankfold::device {

template <Algebra A, Source S, scan_tuning Tuning>
struct lookback_scan_kernel {
    using accumulator = typename A::accumulator;
    using tile_type = warp_tile<A, S, Tuning>;
    using looker = lookback<A, Tuning.group, Tuning.rounds>;
    static constexpr int threads = Tuning.threads;
    static constexpr int resident = Tuning.resident;
    static constexpr int warps = threads / simt::warp_size;
    static constexpr std::int64_t tile_elements = Tuning.tile();

    struct arguments {
        A algebra;
        S source;
        contiguous_sink<typename A::output> sink;
        std::int64_t count;
        std::int64_t tiles;
        bool inclusive;
        init_value init;
        void* total;
        device::control* control;
        tile_table<accumulator, Tuning.group> states;
        const failure_word* failure;
        bool cooperative = false; ///< all tiles have a block, and all blocks are resident
    };

    struct storage {
        warp_prefixes<accumulator, warps> prefixes;
        partial<accumulator> carry;
        std::uint32_t tile;
        std::uint32_t epoch;
        bool failed;  ///< before the call
        bool gave_up; ///< during the call
        bool last;
    };

    RANKFOLD_DEVICE static void run(simt::block& block, const arguments& args, storage& shared)
    {
        if (block.thread() == 0) {
            shared.failed = has_failed(args.failure);
            shared.gave_up = false;
            shared.epoch = simt::load_relaxed<simt::scope::device>(&args.control->epoch) + 1;
        }
        looker back(block, args.states, raise_init(args.algebra, args.init));
        if (args.cooperative) {
            scan_tile(block, args, shared, block.index(), back);
        } else {
            while (next_tile(block, args, shared)) {
                scan_tile(block, args, shared, shared.tile, back);
            }
        }
        if (!shared.failed && !shared.gave_up) {
            finish(block, args, shared);
        }
    }

private:
    RANKFOLD_DEVICE static bool next_tile(const simt::block& block, const arguments& args, storage& shared)
    {
        if (block.thread() == 0) {
            shared.tile = simt::atomic_add(&args.control->ticket, 1U);
        }
        block.sync();
        return !shared.failed && !shared.gave_up && shared.tile < args.tiles;
    }

    RANKFOLD_DEVICE static void scan_tile(const simt::block& block, const arguments& args, storage& shared,
                                          std::int64_t tile, looker& back)
    {
        tile_type mine;
        mine.load(block, args.source, tile * tile_elements, args.count);
        mine.scan(block, args.algebra);
        if (block.lane() == 0) {
            shared.prefixes.totals[block.warp()].value = mine.total();
        }
        block.sync();
        if (shared.failed) {
            return;
        }
        if (block.warp() == 0) {
            publish_and_look_back(block, args, shared, tile, back);
        }
        block.sync();
        if (!shared.gave_up) {
            mine.store(block, args.algebra, shared.prefixes.before(block, args.algebra, shared.carry),
                       args.inclusive, args.sink, tile == args.tiles - 1 ? args.total : nullptr);
        }
    }

    RANKFOLD_DEVICE static void publish_and_look_back(const simt::block& block, const arguments& args,
                                                      storage& shared, std::int64_t tile, looker& back)
    {
        const accumulator fold = warp_fold_list(block, args.algebra, warps, [&](int w) -> accumulator {
            return shared.prefixes.totals[w].value;
        });
        if (block.lane() == 0) {
            store_stamped(args.states.stamped_fold(tile), fold, shared.epoch);
        }
        partial<accumulator> carry;
        const bool there = back.run(block, args.algebra, shared.epoch, tile, args.failure, carry);
        if (block.lane() == 0) {
            shared.carry = carry;
            shared.gave_up = !there;
        }
    }

    RANKFOLD_DEVICE static void finish(const simt::block& block, const arguments& args, storage& shared)
    {
        if (block.thread() == 0) {
            shared.last = arrive_last(block, args.control);
        }
        block.sync();
        if (shared.last) {
            close_epoch(block, args.control, shared.epoch, args.states, args.tiles);
        }
    }
};

} // namespace rankfold::device
