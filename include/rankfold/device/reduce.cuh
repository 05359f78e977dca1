// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// reduce: one piece into one record, in one launch.
//
//   1. The piece is cut into chunks by element index. A block starts with the chunk of its own index and
//      takes further ones by ticket.
//   2. A chunk is folded by the block (range_fold.cuh); its partial goes to the workspace, or, if it is the
//      only one, straight to the record.
//   3. Every block arrives at a ticket that resets itself. The last one folds the partials left to right in
//      runs, writes the record, and sets the chunk ticket back.
//   4. The block that wrote the record exchanges it and folds over the ranks (conclude.cuh), if it is to.
//
// Traffic: each element is read once. No block waits for another; step 4 waits for other ranks.
#pragma once

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
    using accumulator = typename A::accumulator;
    using folder = range_fold<A, S, Tuning>;
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
        int next[2];
        bool last;
        typename conclude<A>::storage end;
    };

    RANKFOLD_DEVICE static void run(simt::block& block, const arguments& args, storage& shared)
    {
        conclude<A>::open(block, args.end, shared.end);
        int half = 0;
        for (int chunk = block.index(); chunk < args.chunks.count; half ^= 1) {
            if (block.thread() == 0) {
                shared.next[half] = next_chunk(block, args);
            }
            const int valid = fold_chunk(block, args, chunk, shared.folds[half]);
            block.sync();
            if (shared.end.failed) {
                return;
            }
            if (block.warp() == 0) {
                publish(block, args, chunk, shared, shared.folds[half], valid);
            }
            chunk = shared.next[half];
        }
        finish(block, args, shared);
    }

private:
    RANKFOLD_DEVICE static int next_chunk(const simt::block& block, const arguments& args)
    {
        if (args.chunks.count <= block.count()) {
            return args.chunks.count;
        }
        return block.count() + static_cast<int>(simt::atomic_add(&args.control->ticket, 1));
    }

    RANKFOLD_DEVICE static int fold_chunk(const simt::block& block, const arguments& args, int chunk,
                                          uninitialised<accumulator>* folds)
    {
        const std::int64_t first = chunk * args.chunks.length;
        const std::int64_t last =
            first + args.chunks.length < args.count ? first + args.chunks.length : args.count;
        return folder{args.algebra, args.source}.run(block, first, last, args.chunks.length, folds);
    }

    RANKFOLD_DEVICE static void publish(const simt::block& block, const arguments& args, int chunk,
                                        storage& shared, const uninitialised<accumulator>* folds, int valid)
    {
        const accumulator all =
            warp_fold_list(block, args.algebra, valid, [&](int w) -> accumulator { return folds[w].value; });
        if (block.lane() == 0) {
            if (args.chunks.count == 1) {
                leave(args, shared, partial<accumulator>(args.algebra.seal(all, args.count)));
            } else {
                store_plain(args.partials + std::int64_t{chunk} * plain_words<accumulator>, all);
            }
        }
    }

    RANKFOLD_DEVICE static void leave(const arguments& args, storage& shared, const partial<accumulator>& all)
    {
        write_record(conclude<A>::record(args.end, shared.end, args.record), all);
    }

    RANKFOLD_DEVICE static void finish(const simt::block& block, const arguments& args, storage& shared)
    {
        if (args.chunks.count > 1) {
            if (block.thread() == 0) {
                shared.last = arrive_last(block, args.control);
            }
            block.sync();
            if (!shared.last) {
                return;
            }
            conclude<A>::claim(block, args.end, shared.end);
            fold_partials(block, args, shared);
        } else if (args.chunks.count == 0 && block.thread() == 0 && !shared.end.failed) {
            leave(args, shared, {});
        }
        conclude<A>::run(block, args.algebra, args.end, shared.end);
    }

    /// Every thread folds a run of partials, then the block folds its threads.
    RANKFOLD_DEVICE static void fold_partials(const simt::block& block, const arguments& args,
                                              storage& shared)
    {
        const int run = (args.chunks.count + threads - 1) / threads;
        const int valid = (args.chunks.count + run - 1) / run;
        const int valid_lanes = valid - block.warp() * simt::warp_size;
        if (valid_lanes > 0) {
            const int first = block.thread() < valid ? block.thread() * run : 0;
            accumulator mine = load_partial(args, first);
            for (int i = first + 1; i < first + run && i < args.chunks.count; ++i) {
                mine = args.algebra.combine(mine, load_partial(args, i));
            }
            mine = warp_fold(block, args.algebra, mine, valid_lanes);
            if (block.lane() == 0) {
                shared.folds[0][block.warp()].value = mine;
            }
        }
        block.sync();
        if (block.warp() == 0) {
            const int valid_warps = (valid + simt::warp_size - 1) / simt::warp_size;
            const accumulator all =
                warp_fold_list(block, args.algebra, valid_warps,
                               [&](int w) -> accumulator { return shared.folds[0][w].value; });
            if (block.lane() == 0) {
                leave(args, shared, partial<accumulator>(args.algebra.seal(all, args.count)));
                simt::store_relaxed<simt::scope::device>(&args.control->ticket, 0U);
            }
        }
    }

    RANKFOLD_DEVICE static accumulator load_partial(const arguments& args, int chunk)
    {
        return load_plain<accumulator>(args.partials + std::int64_t{chunk} * plain_words<accumulator>);
    }
};

} // namespace rankfold::device
