// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lookback_scan, register form: scans a piece in one pass, on any GPU.
//
//   1. Persistent blocks draw tiles in rising order (control.cuh), so that a tile waits only for tiles that
//      are running or done; or, in a cooperative launch with a block for every tile, each block has the tile
//      of its own index, and draws for the epoch alone, while the tile is on its way.
//   2. The tile is loaded and scanned in registers (tile.cuh); its fold is published before anything waits.
//   3. The first warp looks back (lookback.cuh) and hands the carry to the block.
//   4. Each warp combines carry and warps to its left into its results and stores them.
//   5. The last draw closes the launch. Only before epochs repeat does that wait until all blocks have
//      finished.
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
    static constexpr bool lets_next_start = true;
    static constexpr int warps = threads / simt::warp_size;
    static_assert(warps > 1, "the launch is closed by another warp than the first");
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
        failure_report failure;
        bool cooperative = false; ///< all tiles have a block, and all blocks are resident
    };

    struct storage {
        warp_prefixes<accumulator, warps> prefixes;
        partial<accumulator> carry;
        draw drawn;
        bool failed;  ///< before the tile
        bool gave_up; ///< during it
        bool last;
    };

    RANKFOLD_DEVICE static void run(simt::block& block, const arguments& args, storage& shared)
    {
        looker back(block, args.states, raise_init(args.algebra, args.init));
        do {
            const opening asked = open(block, args);
            std::int64_t tile = block.index();
            if (!args.cooperative) {
                settle(block, args, asked, shared);
                block.sync();
                tile = shared.drawn.number();
                if (shared.failed) {
                    return;
                }
                if (tile >= args.tiles) {
                    close_after_last(block, args, shared);
                    break;
                }
            }
            if (!scan_tile(block, args, shared, tile, asked, back)) {
                return;
            }
        } while (!args.cooperative);
        draws_of(block, args).close_at_wrap(block, shared.drawn.epoch(), shared.last);
    }

private:
    /// What the first thread asks for before a tile.
    struct opening {
        errc code;
        draw drawn;
    };

    RANKFOLD_DEVICE static opening open(const simt::block& block, const arguments& args)
    {
        opening asked{};
        if (block.thread() == 0) {
            asked.code = failure_of(args.failure.word);
            asked.drawn = draw_entry(args.control);
        }
        return asked;
    }

    /// The answers are known after the block's next barrier.
    RANKFOLD_DEVICE static void settle(const simt::block& block, const arguments& args, const opening& asked,
                                       storage& shared)
    {
        if (block.thread() == 0) {
            shared.failed = asked.code != errc::success || draws_of(block, args).overlap(asked.drawn);
            shared.drawn = asked.drawn;
        }
    }

    /// By a thread that has nothing else to do.
    RANKFOLD_DEVICE static void close_after_last(const simt::block& block, const arguments& args,
                                                 const storage& shared)
    {
        if (launch_draws::is_closer(block)) {
            draws_of(block, args).close_after_last(shared.drawn);
        }
    }

    RANKFOLD_DEVICE static launch_draws draws_of(const simt::block& block, const arguments& args)
    {
        return {args.control, args.tiles + (args.cooperative ? 0 : block.count()),
                args.states.end(args.tiles), args.failure};
    }

    /// False if the communicator has failed.
    RANKFOLD_DEVICE static bool scan_tile(const simt::block& block, const arguments& args, storage& shared,
                                          std::int64_t tile, const opening& asked, looker& back)
    {
        tile_type mine;
        mine.load(block, args.source, tile * tile_elements, args.count);
        mine.scan(block, args.algebra);
        if (block.lane() == 0) {
            shared.prefixes.totals[block.warp()].value = mine.total();
        }
        if (args.cooperative) {
            settle(block, args, asked, shared);
        }
        block.sync();
        if (shared.failed) {
            return false;
        }
        if (block.warp() == 0) {
            publish_and_look_back(block, args, shared, tile, back);
        } else {
            close_after_last(block, args, shared);
        }
        block.sync();
        if (shared.gave_up) {
            return false;
        }
        mine.store(block, args.algebra, shared.prefixes.before(block, args.algebra, shared.carry),
                   args.inclusive, args.sink, tile == args.tiles - 1 ? args.total : nullptr);
        return true;
    }

    RANKFOLD_DEVICE static void publish_and_look_back(const simt::block& block, const arguments& args,
                                                      storage& shared, std::int64_t tile, looker& back)
    {
        const accumulator fold = warp_fold_list(block, args.algebra, warps, [&](int w) -> accumulator {
            return shared.prefixes.totals[w].value;
        });
        if (block.lane() == 0) {
            store_stamped(args.states.stamped_fold(tile), fold, shared.drawn.epoch());
        }
        partial<accumulator> carry;
        const bool there =
            back.run(block, args.algebra, shared.drawn.epoch(), tile, args.failure.word, carry);
        if (block.lane() == 0) {
            shared.carry = carry;
            shared.gave_up = !there;
        }
    }
};

} // namespace rankfold::device
