// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// one_pass_reduce: a short piece into one record or one result, with no other rank's call to wait for.
//
//   1. The chunks are those of reduce (reduce.cuh), each of one pass; a block folds the one of its own index.
//      The same bits as by reduce, in few instructions: at this length they take longer than the elements.
//   2. Of several blocks each draws (control.cuh) and leaves its partial, stamped; the one that drew last
//      closes the launch, waits for the partials of all and folds them (chunk_partials.cuh).
//
// Traffic: each element is read once.
// Waits: step 2, as in reduce.
#pragma once

#include "rankfold/device/chunk_partials.cuh"
#include "rankfold/device/range_fold.cuh"

namespace rankfold::device {

template <Algebra A, Source S, reduce_tuning Tuning>
struct one_pass_reduce_kernel {
    using piece = piece_algebra<A>;
    using accumulator = typename piece::type::accumulator; ///< inside the piece
    using folder = range_fold<typename piece::type, S, Tuning>;
    using partials = chunk_partials<typename piece::type, Tuning.threads, Tuning.few>;
    static constexpr int threads = Tuning.threads;
    static constexpr int resident = Tuning.resident;
    static constexpr int warps = folder::warps;
    static constexpr std::int64_t chunk = folder::pass;
    static_assert(Tuning.few > 0 && Tuning.few <= Tuning.chunks, "the workspace holds so many partials");
    static_assert(Tuning.few * chunk < (std::int64_t{1} << 31), "elements are counted in 32 bits");

    struct arguments {
        A algebra;
        S source;
        int count; ///< at least one
        device::control* control;
        std::uint64_t* partials;
        failure_report failure;
        std::byte* record;         ///< used where there is no total
        typename A::output* total; ///< null, or the result
        init_value init;           ///< enters it at the left end
    };

    /// What a block does when it has folded its chunk.
    enum class step : std::uint8_t {
        end,    ///< the communicator has failed
        leave,  ///< its partial, to another
        meet,   ///< the same, and fold those of all
        finish, ///< nobody else has one
    };

    struct storage {
        uninitialised<accumulator> folds[2][warps]; // of elements, of partials
        draw drawn;
        step next;
        bool gave_up; ///< on partials of others
    };

    /// Whether a reduction may end like this: in a record, or in the result of the only rank.
    static bool can_end(const conclusion* then)
    {
        return then == nullptr ||
               (then->fold.ranks == 1 && then->fold.record_count == 1 && then->fold.total != nullptr &&
                then->fold.prefix == nullptr && then->fold.carry == nullptr);
    }

    RANKFOLD_DEVICE static void run(simt::block& block, const arguments& args, storage& shared)
    {
        const int first = block.index() * static_cast<int>(chunk);
        errc code = errc::success;
        draw drawn{};
        const int valid = folder{piece::of(args.algebra), args.source}.run_once(
            block, first, args.count, shared.folds[0], [&] {
                if (block.thread() == 0) {
                    code = failure_of(args.failure.word);
                    if (block.count() > 1) {
                        drawn = draw_entry(args.control);
                    }
                }
            });
        if (block.thread() == 0) {
            shared.next = next_step(block, args, code, drawn);
            shared.drawn = drawn;
            shared.gave_up = false;
        }
        block.sync();
        if (block.warp() == 0) {
            const accumulator all =
                warp_fold_list(block, piece::of(args.algebra), valid,
                               [&](int w) -> accumulator { return shared.folds[0][w].value; });
            if (block.lane() == 0) {
                if (shared.next == step::finish) {
                    finish(args, all);
                } else if (shared.next != step::end) {
                    partials_of(block, args).leave(block.index(), all, shared.drawn.epoch());
                }
            }
        }
        if (shared.next == step::meet) {
            meet(block, args, shared);
        }
    }

private:
    RANKFOLD_DEVICE static launch_draws draws_of(const simt::block& block, const arguments& args)
    {
        return {args.control, block.count(), partials_of(block, args).end(), args.failure};
    }

    RANKFOLD_DEVICE static partials partials_of(const simt::block& block, const arguments& args)
    {
        return {args.partials, block.count()};
    }

    RANKFOLD_DEVICE static step next_step(const simt::block& block, const arguments& args, errc code,
                                          const draw& drawn)
    {
        if (code != errc::success) {
            return step::end;
        }
        if (block.count() == 1) {
            return step::finish;
        }
        const launch_draws draws = draws_of(block, args);
        if (!draws.is_over(drawn)) {
            return step::leave;
        }
        return draws.overlap(drawn) ? step::end : step::meet;
    }

    RANKFOLD_DEVICE static void meet(const simt::block& block, const arguments& args, storage& shared)
    {
        const draw drawn = shared.drawn;
        const launch_draws draws = draws_of(block, args);
        const bool closes =
            draws.is_closer(block) && !is_last(drawn.epoch()); // else when nobody looks any more
        std::uint64_t entry = 0;
        if (closes) {
            entry = draws.begin_close(drawn); // under way while partials are awaited
        }
        const partial<accumulator> all =
            partials_of(block, args)
                .fold(block, piece::of(args.algebra), draws, drawn, shared.folds[1], shared.gave_up);
        if (block.thread() == 0 && !shared.gave_up) {
            finish(args, all.value());
        }
        if (closes) {
            draws.end_close(drawn, entry);
        } else if (is_last(drawn.epoch())) {
            draws.close_alone(block, drawn);
        }
    }

    /// By one thread, with the fold of the piece.
    RANKFOLD_DEVICE static void finish(const arguments& args, const accumulator& all)
    {
        const partial<typename A::accumulator> own(piece::seal(args.algebra, all, args.count));
        if (args.total == nullptr) {
            write_record(args.record, own);
            return;
        }
        partial<typename A::accumulator> result = raise_init(args.algebra, args.init);
        result.append(args.algebra, own);
        *args.total = args.algebra.lower(result.value());
    }
};

} // namespace rankfold::device
