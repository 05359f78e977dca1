// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// reduce: one piece into one record, in one launch.
//
//   1. The piece is cut into chunks by element index. A block starts with the chunk of its own index and
//      draws (control.cuh) for further ones, ahead of the chunk at hand.
//   2. A chunk is folded by the block (range_fold.cuh); its partial goes to the workspace, stamped, or, if it
//      is the only one, straight to the record.
//   3. Every block draws once too often, at its start if there is a block for every chunk. The one that drew
//      last closes the launch, waits for the partials of all, folds them left to right in runs and writes the
//      record.
//   4. The block that wrote the record exchanges it and folds over the ranks (conclude.cuh), if it is to.
//
// Traffic: each element is read once.
// Waits: step 3, for blocks that have drawn all that they will, so that they are running or done and wait for
// nobody; or until the failure word is set or another call is seen. One resident block is enough. No fence: a
// stamped word proves itself. Step 4 waits for other ranks.
#pragma once

#include "rankfold/device/chunk_partials.cuh"
#include "rankfold/device/conclude.cuh"
#include "rankfold/device/range_fold.cuh"

namespace rankfold::device {

/// How many elements a chunk has, and how many chunks a piece.
struct chunking {
    std::int64_t length;
    int count;
};

constexpr chunking cut_into_chunks(std::int64_t count, const reduce_tuning& tuning)
{
    const std::int64_t pass = std::int64_t{tuning.threads} * tuning.vector * tuning.rows;
    const std::int64_t passes = (count + pass - 1) / pass;
    const bool middling = tuning.few > 0 && passes <= std::int64_t{tuning.few} * tuning.few_passes;
    const std::int64_t most = middling ? tuning.few : tuning.chunks;
    const std::int64_t length = (passes + most - 1) / most * pass;
    return {.length = length, .count = static_cast<int>(length == 0 ? 0 : (count + length - 1) / length)};
}

template <Algebra A, Source S, reduce_tuning Tuning>
struct reduce_kernel {
    using piece = piece_algebra<A>;
    using accumulator = typename piece::type::accumulator; ///< inside the piece
    using folder = range_fold<typename piece::type, S, Tuning>;
    using partials = chunk_partials<typename piece::type, Tuning.threads, Tuning.chunks>;
    static constexpr int threads = Tuning.threads;
    static constexpr int resident = Tuning.resident;
    static constexpr int warps = folder::warps;

    struct arguments {
        A algebra;
        S source;
        std::int64_t count;
        chunking chunks;
        std::byte* record;
        device::control* control;
        std::uint64_t* partials;
        device::ending end;
    };

    struct storage {
        uninitialised<accumulator> folds[2][warps]; // of alternating chunks
        draw drawn[2];
        typename conclude<A>::storage end;
    };

    RANKFOLD_DEVICE static void run(simt::block& block, const arguments& args, storage& shared)
    {
        const mailbox::opening asked = conclude<A>::open(block, args.end, shared.end);
        draw drawn{};
        int chunk = block.index(); // of an empty piece there is none
        int half = 0;
        do {
            if (block.thread() == 0 && args.chunks.count > 1) {
                drawn = draw_entry(args.control);
            }
            const int valid =
                chunk < args.chunks.count ? fold_chunk(block, args, chunk, shared.folds[half]) : 0;
            if (chunk == block.index()) {
                conclude<A>::settle(block, args.end, asked, shared.end);
            }
            if (block.thread() == 0) {
                shared.drawn[half] = drawn;
            }
            block.sync();
            if (shared.end.failed) {
                return;
            }
            drawn = shared.drawn[half];
            if (block.warp() == 0) {
                publish(block, args, chunk, drawn.epoch(), shared, shared.folds[half], valid);
            }
            chunk = block.count() + static_cast<int>(drawn.number());
            half ^= 1;
        } while (chunk < args.chunks.count);
        finish(block, args, drawn, shared, shared.folds[half]);
    }

private:
    RANKFOLD_DEVICE static int fold_chunk(const simt::block& block, const arguments& args, int chunk,
                                          uninitialised<accumulator>* folds)
    {
        const std::int64_t first = chunk * args.chunks.length;
        const std::int64_t last =
            first + args.chunks.length < args.count ? first + args.chunks.length : args.count;
        return folder{piece::of(args.algebra), args.source}.run(block, first, last, args.chunks.length,
                                                                folds);
    }

    RANKFOLD_DEVICE static launch_draws draws_of(const arguments& args)
    {
        return {args.control, args.chunks.count, partials_of(args).end(), args.end.failure};
    }

    RANKFOLD_DEVICE static partials partials_of(const arguments& args)
    {
        return {args.partials, args.chunks.count};
    }

    /// By the first warp. `valid`: folds there are; none in an empty piece.
    RANKFOLD_DEVICE static void publish(const simt::block& block, const arguments& args, int chunk,
                                        std::uint32_t epoch, storage& shared,
                                        const uninitialised<accumulator>* folds, int valid)
    {
        partial<accumulator> all;
        if (valid > 0) {
            all = partial<accumulator>(warp_fold_list(block, piece::of(args.algebra), valid,
                                                      [&](int w) -> accumulator { return folds[w].value; }));
        }
        if (block.lane() == 0) {
            if (args.chunks.count > 1) {
                partials_of(args).leave(chunk, all.value(), epoch);
            } else {
                leave(args, shared, all);
            }
        }
    }

    /// The record of a piece whose partial is `all`.
    RANKFOLD_DEVICE static void leave(const arguments& args, storage& shared, const partial<accumulator>& all)
    {
        partial<typename A::accumulator> sealed;
        if (all.has_value()) {
            sealed = partial<typename A::accumulator>(piece::seal(args.algebra, all.value(), args.count));
        }
        conclude<A>::leave(args.algebra, args.end, shared.end, args.record, sealed);
    }

    /// `free_folds`: those that the first warp does not read any more.
    RANKFOLD_DEVICE static void finish(const simt::block& block, const arguments& args, const draw& drawn,
                                       storage& shared, uninitialised<accumulator>* free_folds)
    {
        if (args.chunks.count > 1) {
            const launch_draws draws = draws_of(args);
            if (!draws.is_over(drawn)) {
                return;
            }
            if (block.thread() == 0) {
                draws.overlap(drawn);
            }
            const std::uint64_t closing = draws.begin_close(block, drawn);
            conclude<A>::claim(block, args.end, shared.end);
            const partial<accumulator> all = partials_of(args).fold(block, piece::of(args.algebra), draws,
                                                                    drawn, free_folds, shared.end.gave_up);
            if (block.thread() == 0) {
                leave(args, shared, all);
            }
            if (!draws.end_close(block, drawn, closing) && !conclude<A>::has_left(args.end)) {
                shared.end.gave_up = true;
            }
        }
        conclude<A>::run(block, args.algebra, args.end, shared.end);
    }
};

} // namespace rankfold::device
