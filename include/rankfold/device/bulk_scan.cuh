// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lookback_scan, bulk form (sm_90): scans a piece in one pass by warps of four kinds. A tile goes through a
// ring of stages:
//
//   1. load       one lane draws the next tile (control.cuh), waits until its stage is empty, and starts a
//                 bulk copy
//   2. reduce     when the copy has landed, a warp folds the tile strip by strip, publishes the fold,
//                 whatever the other warps do, and leaves what the tile holds up to each strip
//   3. follow     one warp follows the folds of all tiles (follower.cuh), a lane of it for each stage hands
//                 over the carry of the stage's tile
//   4. scan       with all of that there, every scanner scans and stores one strip; when all have left, the
//                 stage is empty
//   5. The last draw closes the launch. Only before epochs repeat does that wait until all blocks have
//      finished.
//
// A base that is not 16-byte aligned is copied from the aligned address below it, and read from shared memory
// at that shift in narrower words. What does not fill 16 bytes at either end of the piece is copied by the
// loading lane.
//
// Traffic: each element is read once and written once; a few bytes per tile.
// Waits: 3 for published folds of lower tiles. A tile is drawn when its stage is empty, so a tile that has an
// owner is loaded and folded without waiting for another block: one resident block is enough. Within the
// block by mbarriers only.
#pragma once

#include "rankfold/device/bulk_tile.cuh"
#include "rankfold/device/failure.cuh"
#include "rankfold/device/follower.cuh"

namespace rankfold::device {

template <Algebra A, bulk_tuning Tuning>
struct bulk_scan_kernel {
    using input = typename A::input;
    using accumulator = typename A::accumulator;
    using tile_type = bulk_tile<A, Tuning>;
    using follower_type = follower<A, Tuning.group>;
    static constexpr int stages = Tuning.stages;
    static constexpr int strips = Tuning.strips;
    static constexpr int threads = (2 + Tuning.reducers + strips) * simt::warp_size;
    static constexpr int resident = 1;
    static constexpr int capability = 90;
    static constexpr std::int64_t tile_elements = tile_type::elements;
    static_assert(stages % Tuning.reducers == 0,
                  "a stage is always visited by the same reducer, or one could be a phase ahead of another");
    static_assert(stages <= simt::warp_size, "a lane of the follower for each");

    struct arguments {
        A algebra;
        contiguous<input> source;
        contiguous_sink<typename A::output> sink;
        std::int64_t count;
        std::int64_t tiles;
        bool inclusive;
        init_value init;
        void* total;
        device::control* control;
        tile_table<accumulator, Tuning.group> states;
        failure_report failure;
    };

    /// What belongs to a stage besides its elements.
    struct stage_state {
        simt::mbarrier full;    ///< by loader and copy: `tile` and the elements are there
        simt::mbarrier carried; ///< by follower and strips of the reducer: `carry` and `upto` are there
        simt::mbarrier empty;   ///< by the scanners
        std::int64_t tile;      ///< none when negative: the work is done
        partial<accumulator> carry;
        uninitialised<accumulator> upto[strips]; ///< the tile up to and with each strip
        bool alive;                              ///< false: the communicator failed, store nothing
    };

    struct storage {
        typename tile_type::buffer elements[stages];
        typename tile_type::results_buffer results[strips];
        stage_state state[stages];
        typename follower_type::folds folds;
        draw first; ///< of the block
        bool failed;
        bool last;
    };

    static_assert(sizeof(storage) <= most_shared_bytes);

    /// Where a warp is in the ring.
    struct cursor {
        int stage;
        std::uint32_t parity = 0;

        RANKFOLD_DEVICE void advance(int steps)
        {
            stage += steps;
            if (stage >= stages) {
                stage -= stages;
                parity ^= 1;
            }
        }
    };

    RANKFOLD_DEVICE static void run(simt::block& block, const arguments& args, storage& shared)
    {
        if (block.thread() == 0) {
            set_up(args, shared);
        }
        block.sync();
        if (shared.failed) {
            return;
        }
        const int reducer = block.warp() - 2;
        if (block.warp() == 0) {
            load(block, args, shared);
        } else if (block.warp() == 1) {
            follow(block, args, shared);
        } else if (reducer < Tuning.reducers) {
            reduce(block, args, shared, reducer);
        } else {
            scan(block, args, shared, reducer - Tuning.reducers);
        }
        block.sync_warp();
        draws_of(block, args).close_at_wrap(block, shared.first.epoch(), shared.last);
    }

private:
    RANKFOLD_DEVICE static void set_up(const arguments& args, storage& shared)
    {
        const errc code = failure_of(args.failure.word); // on its way together with the draw
        const draw first = draw_entry(args.control);
        for (stage_state& state : shared.state) {
            state.full.init(1);
            state.carried.init(1 + strips);
            state.empty.init(strips);
            state.alive = true;
        }
        simt::fence_mbarrier_init();
        shared.failed = code != errc::success;
        shared.first = first;
    }

    RANKFOLD_DEVICE static launch_draws draws_of(const simt::block& block, const arguments& args)
    {
        return {args.control, args.tiles + block.count(), args.states.end(args.tiles), args.failure};
    }

    RANKFOLD_DEVICE static void load(const simt::block& block, const arguments& args, storage& shared)
    {
        if (block.lane() != 0) {
            return;
        }
        cursor at{0};
        cursor landing{0}; // the first tile that may be under way
        int under_way = 0;
        draw tile = shared.first;
        for (bool alive = true; tile.number() < args.tiles && alive;) {
            shared.state[at.stage].tile = tile.number();
            tile_type::load(shared.elements[at.stage], args.source.data, tile.number(), args.count,
                            shared.state[at.stage].full);
            at.advance(1);
            // More copies at once queue in the memory, and what the followers ask for queues behind them.
            if (++under_way == Tuning.landing) {
                shared.state[landing.stage].full.wait(landing.parity);
                landing.advance(1);
                --under_way;
            }
            shared.state[at.stage].empty.wait(at.parity ^ 1);
            alive = shared.state[at.stage].alive;
            // Not asked for ahead: a tile that waits here for its stage would hold up all tiles after it.
            tile = draw_entry(args.control);
        }
        const launch_draws draws = draws_of(block, args);
        draws.overlap(tile);
        draws.close_after_last(tile);
        // The stage at hand is empty. Every warp finds the end in the stage that it visits next.
        for (int i = 0; i < stages; ++i) {
            if (i > 0) {
                shared.state[at.stage].empty.wait(at.parity ^ 1);
            }
            shared.state[at.stage].tile = -1;
            shared.state[at.stage].full.arrive();
            at.advance(1);
        }
    }

    /// Calls visit(tile, state, cursor) for every tile of the stages worker, worker + workers, ... when its
    /// elements are there. What a state says lane 0 reads, which tells that it has been read.
    template <class Visit>
    RANKFOLD_DEVICE static void for_each_tile(const simt::block& block, storage& shared, int worker,
                                              int workers, Visit visit)
    {
        for (cursor at{worker};; at.advance(workers)) {
            stage_state& state = shared.state[at.stage];
            state.full.wait(at.parity);
            std::int64_t tile = 0;
            if (block.lane() == 0) {
                tile = state.tile;
            }
            tile = block.shuffle(tile, 0);
            if (tile < 0) {
                return;
            }
            visit(tile, state, at);
        }
    }

    RANKFOLD_DEVICE static tile_type tile_of(const arguments& args, const storage& shared, std::int64_t tile,
                                             int stage)
    {
        return tile_type(args.algebra, shared.elements[stage], args.source.data, tile, args.count);
    }

    RANKFOLD_DEVICE static void reduce(const simt::block& block, const arguments& args, storage& shared,
                                       int worker)
    {
        const auto visit = [&](std::int64_t tile, stage_state& state, const cursor& at) {
            const accumulator upto = tile_of(args, shared, tile, at.stage).fold_strips(block);
            if (block.lane() == last_strip(args, tile)) {
                store_stamped(args.states.stamped_fold(tile), upto, shared.first.epoch());
            }
            block.sync_warp();
            if (block.lane() < strips) {
                state.upto[block.lane()].value = upto;
                state.carried.arrive();
            }
        };
        for_each_tile(block, shared, worker, Tuning.reducers, visit);
    }

    /// The last strip of a tile that has elements.
    RANKFOLD_DEVICE static int last_strip(const arguments& args, std::int64_t tile)
    {
        const std::int64_t left = args.count - tile * tile_elements;
        return left < tile_elements ? static_cast<int>((left - 1) / tile_type::strip) : strips - 1;
    }

    /// Lane s waits for tile and carry of stage s. No lane waits by itself: that would hold up the others.
    RANKFOLD_DEVICE static void follow(const simt::block& block, const arguments& args, storage& shared)
    {
        follower_type folds(block, args.states, args.tiles, raise_init(args.algebra, args.init));
        stage_state& state = shared.state[block.lane() < stages ? block.lane() : 0];
        bool done = block.lane() >= stages;
        bool alive = true;
        std::int64_t wanted = folds.nothing;
        std::uint32_t parity = 0;
        const auto step = [&] {
            if (alive) {
                folds.look(shared.first.epoch());
            }
            // Not before the look: a tile whose fold was seen has landed.
            if (!done && wanted < 0 && state.full.test(parity)) {
                wanted = state.tile;
                done = wanted < 0;
            }
            partial<accumulator> carry;
            const bool found =
                alive ? folds.find(block, args.algebra, shared.first.epoch(), wanted, carry, shared.folds)
                      : wanted >= 0;
            if (found) {
                state.carry = carry;
                state.alive = alive;
                state.carried.arrive();
                wanted = folds.nothing;
                parity ^= 1;
            }
            return block.all(done);
        };
        alive = simt::spin_until(step, [&] { return warp_has_failed(block, args.failure.word); });
        if (!alive) { // let the others go, with nothing to store
            simt::spin_until(step);
        }
    }

    RANKFOLD_DEVICE static void scan(const simt::block& block, const arguments& args, storage& shared,
                                     int strip)
    {
        const auto visit = [&](std::int64_t tile, stage_state& state, const cursor& at) {
            state.carried.wait(at.parity);
            bool alive = false;
            partial<accumulator> before;
            if (block.lane() == 0) {
                alive = state.alive;
                before = before_strip(args, state, strip);
            }
            if (block.shuffle(alive, 0)) {
                tile_of(args, shared, tile, at.stage)
                    .scan_strip(block, strip, block.shuffle(before, 0), args.inclusive, args.sink,
                                tile == args.tiles - 1 ? args.total : nullptr, shared.results[strip]);
            }
            block.sync_warp();
            if (block.lane() == 0) {
                state.empty.arrive();
            }
        };
        for_each_tile(block, shared, 0, 1, visit);
    }

    RANKFOLD_DEVICE static partial<accumulator> before_strip(const arguments& args, const stage_state& state,
                                                             int strip)
    {
        partial<accumulator> before = state.carry;
        if (strip > 0) {
            before.append(args.algebra, partial<accumulator>(state.upto[strip - 1].value));
        }
        return before;
    }
};

} // namespace rankfold::device
