// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// onchip_scan: scans the piece of one of several ranks in one launch, for pieces that the registers hold.
//
//   1. Every block draws once (control.cuh), loads its tile and scans it in registers (tile.cuh); the fold
//      goes to the workspace, stamped.
//   2. The block that drew last closes the launch, waits for the folds and scans them, a tile per thread, and
//      exchanges the record of the piece (conclude.cuh). To every tile it posts all that stands before it.
//   3. Every block takes its post, combines it into its results and stores them. Then the block of step 2
//      folds over the ranks.
//
// A post is stamped words, which prove themselves; who takes one leaves zeros for the next launch. A piece of
// one tile needs neither draws nor folds nor posts.
//
// That needs a resident block for every tile: a cooperative launch. Where they do not fit, or the exchange is
// somebody else's, two launches do it, with the same bits: the first leaves the record and what stands before
// every tile in place of the folds, with the stamp of no launch; the second loads and scans every tile again.
//
// Traffic: each element is read once (twice in two launches) and written once.
// Waits: step 2 for the folds of blocks that have all started and wait for nobody before they have left them
// (in the first of two launches one resident block is enough), or until the failure word is set; then for the
// other ranks, see mailbox.cuh. Step 3 for step 2, or until the failure word is set.
#pragma once

#include "rankfold/device/await.cuh"
#include "rankfold/device/block.cuh"
#include "rankfold/device/conclude.cuh"
#include "rankfold/device/tile.cuh"
#include "rankfold/device/workspace.cuh"

namespace rankfold::device {

/// What a launch does.
enum class onchip_pass {
    both,   ///< cooperative, a block for every tile, and it concludes
    first,  ///< steps 1 and 2, without posts
    second, ///< step 3
};

template <Algebra A, Source S, scan_tuning Tuning>
struct onchip_scan_kernel {
    using accumulator = typename A::accumulator;
    using tile_type = warp_tile<A, S, Tuning>;
    static constexpr int threads = Tuning.threads;
    static constexpr int resident = Tuning.resident;
    static constexpr int warps = threads / simt::warp_size;
    static constexpr scan_tuning tuning = Tuning;

    struct arguments {
        A algebra;
        S source;
        contiguous_sink<typename A::output> sink;
        std::int64_t count;
        int tiles; ///< not more than threads
        onchip_pass pass;
        bool inclusive;
        std::byte* record;
        const std::byte* carry; ///< for the second pass: record of what stands before the piece
        device::control* control;
        std::uint64_t*
            folds; ///< stamped, of tiles; after the first pass what stands before each in the piece
        std::uint64_t* posts; ///< zero between launches
        device::ending end;
    };

    struct storage {
        warp_prefixes<accumulator, warps> prefixes;
        thread_prefixes<accumulator, warps> befores;
        partial<accumulator> carry;
        draw drawn;
        bool carried;
        typename conclude<A>::storage end;
    };

    /// Both passes: one round, in which the tile stays in registers. Else: a round for every tile, and the
    /// first pass meets when it has no more.
    RANKFOLD_DEVICE static void run(simt::block& block, const arguments& args, storage& shared)
    {
        const bool folds = args.pass != onchip_pass::second;
        const bool stores = args.pass != onchip_pass::first;
        const mailbox::opening asked = conclude<A>::open(block, args.end, shared.end);
        draw drawn{};
        if (folds && args.tiles > 1 && block.thread() == 0) {
            drawn = draw_entry(args.control);
        }
        tile_type mine;
        partial<accumulator> fold; // of the tile; in the first thread
        bool agreed = false;       // in the block that has met
        for (int tile = block.index();; tile += block.count()) {
            const bool there = tile < args.tiles;
            if (there) {
                scan_tile(block, args, shared, tile, mine);
            }
            if (tile == block.index()) {
                settle(block, args, asked, drawn, shared);
            }
            block.sync();
            if (shared.end.failed) {
                return;
            }
            if (there && folds) {
                fold = publish(block, args, shared, tile);
            }
            if (folds && (stores || !there) && draws_of(block, args).is_over(shared.drawn)) {
                agreed = carry_tiles(block, args, shared, fold);
            }
            if (there && stores && !store_tile(block, args, shared, tile, mine)) {
                return;
            }
            if (!there || (folds && stores)) {
                break;
            }
            block.sync(); // the next tile takes the shared memory
        }
        if (agreed) { // nobody waits for this any more
            conclude<A>::fold(block, args.algebra, args.end, shared.end);
        }
    }

private:
    static constexpr std::uint32_t posted = 1;
    static constexpr std::uint32_t no_epoch = 0;

    RANKFOLD_DEVICE static void settle(const simt::block& block, const arguments& args,
                                       const mailbox::opening& asked, const draw& drawn, storage& shared)
    {
        conclude<A>::settle(block, args.end, asked, shared.end);
        if (block.thread() == 0) {
            shared.drawn = drawn;
            draws_of(block, args).overlap(drawn);
        }
    }

    RANKFOLD_DEVICE static launch_draws draws_of(const simt::block& block, const arguments& args)
    {
        return {args.control, block.count(), fold_of(args, args.tiles), args.end.failure};
    }

    RANKFOLD_DEVICE static std::uint64_t* fold_of(const arguments& args, int tile)
    {
        return args.folds + tile * stamped_words<accumulator>;
    }
    RANKFOLD_DEVICE static std::uint64_t* post_of(const arguments& args, int tile)
    {
        return args.posts + tile * post_words<accumulator>;
    }

    RANKFOLD_DEVICE static std::int64_t elements_of(const arguments& args, int tile)
    {
        const std::int64_t left = args.count - tile * Tuning.tile();
        return left < Tuning.tile() ? left : Tuning.tile();
    }

    RANKFOLD_DEVICE static void scan_tile(const simt::block& block, const arguments& args, storage& shared,
                                          int tile, tile_type& mine)
    {
        mine.load(block, args.source, tile * Tuning.tile(), args.count);
        mine.scan(block, args.algebra);
        const accumulator total =
            elements_of(args, tile) < Tuning.tile() ? mine.total_to_end(block) : mine.total();
        if (block.lane() == 0) {
            shared.prefixes.totals[block.warp()].value = total;
        }
    }

    /// The fold of the tile, in the first thread.
    RANKFOLD_DEVICE static partial<accumulator> publish(const simt::block& block, const arguments& args,
                                                        const storage& shared, int tile)
    {
        partial<accumulator> all;
        if (block.warp() == 0) {
            constexpr int warp_elements = tile_type::row * tile_type::rows;
            const auto elements = static_cast<int>(elements_of(args, tile));
            const int valid = (elements + warp_elements - 1) / warp_elements;
            all = partial<accumulator>(warp_fold_list(block, args.algebra, valid, [&](int w) -> accumulator {
                return shared.prefixes.totals[w].value;
            }));
            if (args.tiles > 1 && block.lane() == 0) {
                store_stamped(fold_of(args, tile), all.value(), shared.drawn.epoch());
            }
        }
        return all;
    }

    /// Step 2, without the results of the fold over the ranks. `only` is the fold of the tile in a piece of
    /// one. True where all ranks agreed.
    RANKFOLD_DEVICE static bool carry_tiles(const simt::block& block, const arguments& args, storage& shared,
                                            const partial<accumulator>& only)
    {
        const launch_draws draws = draws_of(block, args);
        const int tile = block.thread();
        partial<accumulator> mine = only;
        partial<accumulator> before;
        std::uint64_t closing = 0;
        if (args.tiles > 1) {
            closing = draws.begin_close(block, shared.drawn);
            conclude<A>::claim(block, args.end, shared.end);
            const int last_warp = (args.tiles - 1) / simt::warp_size;
            if (block.warp() <= last_warp) {
                mine = await_fold(block, args, tile < args.tiles ? tile : 0, shared);
            }
            before = shared.befores.before(block, args.algebra, mine, args.tiles);
        }
        if (tile == (args.tiles > 0 ? args.tiles - 1 : 0)) {
            leave(args, shared, before, mine);
        }
        if (args.tiles > 1 && !draws.end_close(block, shared.drawn, closing)) {
            shared.end.gave_up = true;
        }
        if (args.pass == onchip_pass::first && 0 < tile && tile < args.tiles) {
            store_stamped(fold_of(args, tile), before.value(), no_epoch);
        }
        const bool agreed = conclude<A>::agree(block, args.end, shared.end);
        if (agreed && args.pass == onchip_pass::both && tile < args.tiles) {
            partial<accumulator> carry = conclude<A>::before_rank(args.algebra, args.end, shared.end);
            carry.append(args.algebra, before);
            if (args.tiles > 1) {
                store_stamped(post_of(args, tile), carry, posted);
            } else {
                shared.carry = carry;
            }
        }
        if (args.tiles == 1 && tile == 0) {
            shared.carried = agreed;
        }
        return agreed;
    }

    RANKFOLD_DEVICE static partial<accumulator> await_fold(const simt::block& block, const arguments& args,
                                                           int tile, storage& shared)
    {
        const launch_draws draws = draws_of(block, args);
        stamped_view<accumulator> seen[1];
        const bool there = await_stamped<1>(
            shared.drawn.epoch(), [](int) { return true; },
            [&](int i) -> stamped_view<accumulator>& { return seen[i]; },
            [&](int) { return fold_of(args, tile); },
            [&] { return !draws.is_undisturbed(shared.drawn) || has_failed(args.end.failure.word); });
        if (!there) {
            shared.end.gave_up = true;
        }
        return partial<accumulator>(seen[0].value());
    }

    /// The record of the piece, whose last tile folds to `last`.
    RANKFOLD_DEVICE static void leave(const arguments& args, storage& shared,
                                      const partial<accumulator>& before, const partial<accumulator>& last)
    {
        partial<accumulator> all = before;
        all.append(args.algebra, last);
        if (all.has_value()) {
            all = partial<accumulator>(args.algebra.seal(all.value(), args.count));
        }
        conclude<A>::leave(args.algebra, args.end, shared.end, args.record, all);
    }

    /// Step 3. False if the communicator failed meanwhile.
    RANKFOLD_DEVICE static bool store_tile(const simt::block& block, const arguments& args, storage& shared,
                                           int tile, const tile_type& mine)
    {
        if (block.thread() == 0 && (args.tiles > 1 || args.pass == onchip_pass::second)) {
            shared.carried = find_carry(args, tile, shared.carry);
        }
        block.sync();
        if (shared.carried) {
            mine.store(block, args.algebra, shared.prefixes.before(block, args.algebra, shared.carry),
                       args.inclusive, args.sink, nullptr);
        }
        return shared.carried;
    }

    /// What stands before the tile in the global array. False if the communicator failed meanwhile.
    RANKFOLD_DEVICE static bool find_carry(const arguments& args, int tile, partial<accumulator>& carry)
    {
        if (args.pass == onchip_pass::both) {
            return take_post(args, tile, carry);
        }
        carry = read_record<accumulator>(args.carry);
        if (tile > 0) {
            stamped_view<accumulator> before;
            before.look(fold_of(args, tile));
            carry.append(args.algebra, partial<accumulator>(before.value()));
        }
        return true;
    }

    RANKFOLD_DEVICE static bool take_post(const arguments& args, int tile, partial<accumulator>& carry)
    {
        stamped_view<partial<accumulator>> seen;
        const bool there = simt::spin_until(
            [&] {
                seen.look(post_of(args, tile));
                return seen.complete(posted);
            },
            [&] { return has_failed(args.end.failure.word); });
        if (there) {
            carry = seen.value();
            for (int w = 0; w < post_words<accumulator>; ++w) {
                simt::store_relaxed<simt::scope::device>(post_of(args, tile) + w, std::uint64_t{0});
            }
        }
        return there;
    }
};

} // namespace rankfold::device
