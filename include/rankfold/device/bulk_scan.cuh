// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lookback_scan, bulk form (sm_90): scans a piece in one pass by warps of four kinds. A tile goes through a
// ring of stages:
//
//   1. load       one lane takes the next tile by ticket, waits until its stage is empty, and starts a bulk
//   copy
//   2. reduce     when the copy has landed, a warp folds the tile and publishes the fold, whatever the other
//   warps do
//   3. look back  one warp finds the carries of the block's tiles in order (lookback.cuh), each when its copy
//   has landed
//   4. scan       with tile and carry there, a warp scans the tile row by row and stores it; the stage is
//   empty when reducer
//                 and scanner have left
//   5. The last block to finish sets the ticket back and moves the epoch on.
//
// A base that is not 16-byte aligned is copied from the aligned address below it, and read from shared memory
// at that shift in narrower words. What does not fill 16 bytes at either end of the piece is copied by the
// loading lane.
//
// Traffic: each element is read once and written once; a few bytes per tile.
// Waits: 3 for published folds of lower tiles, which warps of kind 2 bring without waiting for anything but
// memory: one resident block is enough. Within the block by mbarriers only, so no warp waits for one of its
// own kind.
#pragma once

#include "rankfold/device/bulk_tile.cuh"
#include "rankfold/device/lookback.cuh"

namespace rankfold::device {

template <Algebra A, bulk_tuning Tuning>
struct bulk_scan_kernel {
    using input = typename A::input;
    using accumulator = typename A::accumulator;
    using tile_type = bulk_tile<A, Tuning>;
    static constexpr int stages = Tuning.stages;
    static constexpr int loaders = 1;
    static constexpr int threads =
        (loaders + Tuning.lookers + Tuning.reducers + Tuning.scanners) * simt::warp_size;
    static constexpr int resident = 1;
    static constexpr int capability = 90;
    static constexpr std::int64_t tile_elements = tile_type::elements;
    static_assert(
        stages % Tuning.lookers == 0 && stages % Tuning.reducers == 0 && stages % Tuning.scanners == 0,
        "a stage is always visited by the same warp of a kind, or one could be a phase ahead of another");

    struct arguments {
        A algebra;
        const input* data;
        contiguous_sink<typename A::output> sink;
        std::int64_t count;
        std::int64_t tiles;
        bool inclusive;
        init_value init;
        void* total;
        device::control* control;
        tile_table<accumulator, Tuning.group> states;
        const failure_word* failure;
    };

    /// What belongs to a stage besides its elements.
    struct stage_state {
        simt::mbarrier full;    ///< by loader and copy: `tile` and the elements are there
        simt::mbarrier carried; ///< by the looker: `carry` is there
        simt::mbarrier empty;   ///< by reducer and scanner
        std::int64_t tile;      ///< none when negative: the work is done
        partial<accumulator> carry;
        bool alive; ///< false: the communicator failed, store nothing
    };

    struct storage {
        typename tile_type::buffer elements[stages];
        stage_state state[stages];
        std::uint32_t epoch;
        bool failed;
        bool last;
    };

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
        const int worker = block.warp() - loaders - Tuning.lookers;
        if (block.warp() == 0) {
            load(block, args, shared);
        } else if (worker < 0) {
            look_back(block, args, shared, block.warp() - loaders);
        } else if (worker < Tuning.reducers) {
            reduce(block, args, shared, worker);
        } else {
            scan(block, args, shared, worker - Tuning.reducers);
        }
        block.sync_warp();
        block.sync();
        finish(block, args, shared);
    }

private:
    RANKFOLD_DEVICE static void set_up(const arguments& args, storage& shared)
    {
        for (stage_state& state : shared.state) {
            state.full.init(1);
            state.carried.init(1);
            state.empty.init(2);
            state.alive = true;
        }
        simt::fence_mbarrier_init();
        shared.failed = has_failed(args.failure);
        shared.epoch = simt::load_relaxed<simt::scope::device>(&args.control->epoch) + 1;
    }

    RANKFOLD_DEVICE static void load(const simt::block& block, const arguments& args, storage& shared)
    {
        if (block.lane() != 0) {
            return;
        }
        cursor at{0};
        std::int64_t tile =
            simt::atomic_add(&args.control->ticket, 1U); // tile 0 belongs to a block that runs
        bool alive = true;
        while (tile < args.tiles && alive) {
            // The next ticket travels while this stage is awaited.
            const std::uint32_t ticket = simt::atomic_add(&args.control->ticket, 1U);
            stage_state& state = shared.state[at.stage];
            state.empty.wait(at.parity ^ 1);
            alive = state.alive;
            if (alive) {
                state.tile = tile;
                tile_type::load(shared.elements[at.stage], args.data, tile, args.count, state.full);
                at.advance(1);
                tile = ticket;
            }
        }
        // Every warp of a kind finds the end in the stage that it visits next.
        for (int i = 0; i < stages; ++i) {
            stage_state& state = shared.state[at.stage];
            state.empty.wait(at.parity ^ 1);
            state.tile = -1;
            state.full.arrive();
            at.advance(1);
        }
    }

    RANKFOLD_DEVICE static void look_back(const simt::block& block, const arguments& args, storage& shared,
                                          int worker)
    {
        lookback<A, Tuning.group, Tuning.rounds, Tuning.pause> back(block, args.states,
                                                                    raise_init(args.algebra, args.init));
        bool alive = true;
        for (cursor at{worker};; at.advance(Tuning.lookers)) {
            stage_state& state = shared.state[at.stage];
            state.full.wait(at.parity); // looking earlier only crowds the memory: 2 % slower
            const std::int64_t tile = state.tile;
            if (tile < 0) {
                return;
            }
            partial<accumulator> carry;
            alive = alive && back.run(block, args.algebra, shared.epoch, tile, args.failure, carry);
            if (block.lane() == 0) {
                state.carry = carry;
                state.alive = alive;
                state.carried.arrive();
            }
            block.sync_warp();
        }
    }

    RANKFOLD_DEVICE static void reduce(const simt::block& block, const arguments& args, storage& shared,
                                       int worker)
    {
        for (cursor at{worker};; at.advance(Tuning.reducers)) {
            stage_state& state = shared.state[at.stage];
            state.full.wait(at.parity);
            const std::int64_t tile = state.tile;
            if (tile < 0) {
                return;
            }
            if (tile < args.tiles - 1) { // nobody asks for the fold of the last tile
                const tile_type mine(args.algebra, shared.elements[at.stage], args.data, tile, args.count);
                const accumulator fold = mine.fold(block);
                if (block.lane() == 0) {
                    store_stamped(args.states.stamped_fold(tile), fold, shared.epoch);
                }
            }
            block.sync_warp();
            if (block.lane() == 0) {
                state.empty.arrive();
            }
        }
    }

    RANKFOLD_DEVICE static void scan(const simt::block& block, const arguments& args, storage& shared,
                                     int worker)
    {
        for (cursor at{worker};; at.advance(Tuning.scanners)) {
            stage_state& state = shared.state[at.stage];
            state.full.wait(at.parity);
            const std::int64_t tile = state.tile;
            if (tile < 0) {
                return;
            }
            state.carried.wait(at.parity);
            if (state.alive) {
                const tile_type mine(args.algebra, shared.elements[at.stage], args.data, tile, args.count);
                mine.scan(block, state.carry, args.inclusive, args.sink,
                          tile == args.tiles - 1 ? args.total : nullptr);
            }
            block.sync_warp();
            if (block.lane() == 0) {
                state.empty.arrive();
            }
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
