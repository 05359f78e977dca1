// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// one_pass_reduce: a short piece into one record or one result, in few instructions: at this length they take
// longer than the elements.
//
//   1. The chunks are those of reduce (reduce.cuh), each of one pass; a block folds the one of its own index.
//      The same bits as by reduce.
//   2. Of several blocks each draws (control.cuh) and leaves its partial, stamped; the one that drew last
//      closes the launch, waits for the partials of all and folds them (chunk_partials.cuh).
//   3. That block, or the only one, ends as End says: alone (conclude_alone.cuh) or by an exchange
//      (conclude.cuh).
//
// Traffic: each element is read once.
// Waits: step 2, as in reduce; step 3 for other ranks, if there are some.
#pragma once

#include "rankfold/device/chunk_partials.cuh"
#include "rankfold/device/conclude.cuh"
#include "rankfold/device/conclude_alone.cuh"
#include "rankfold/device/range_fold.cuh"

namespace rankfold::device {

/// @tparam End  conclude<A> or conclude_alone<A>
template <Algebra A, Source S, reduce_tuning Tuning, class End>
struct one_pass_reduce_kernel {
    using piece = piece_algebra<A>;
    using accumulator = typename piece::type::accumulator; ///< inside the piece
    using folder = range_fold<typename piece::type, S, Tuning>;
    using partials = chunk_partials<typename piece::type, Tuning.threads, Tuning.few>;
    static constexpr int threads = Tuning.threads;
    static constexpr int resident = Tuning.resident;
    static constexpr bool lets_next_start = End::is_alone;
    static constexpr int warps = folder::warps;
    static constexpr std::int64_t chunk = folder::pass;
    static_assert(Tuning.few > 0 && Tuning.few <= Tuning.chunks, "the workspace holds so many partials");
    static_assert(Tuning.few * chunk < (std::int64_t{1} << 31), "elements are counted in 32 bits");

    struct arguments {
        A algebra;
        S source;
        int count; ///< at least one
        std::byte* record;
        device::control* control;
        std::uint64_t* partials;
        typename End::ending end;
    };

    /// What a block does when it has folded its chunk.
    enum class step : std::uint8_t {
        leave,  ///< its partial, to another
        meet,   ///< the same, and fold those of all
        finish, ///< nobody else has one
    };

    struct storage {
        uninitialised<accumulator> folds[2][warps]; // of elements, of partials
        draw drawn;
        step next;
        typename End::storage end;
    };

    RANKFOLD_DEVICE static void run(simt::block& block, const arguments& args, storage& shared)
    {
        const int first = block.index() * static_cast<int>(chunk);
        typename End::opening asked{};
        draw drawn{};
        const int valid = folder{piece::of(args.algebra), args.source}.run_once(
            block, first, args.count, shared.folds[0], [&] {
                if (block.thread() == 0 && block.count() > 1) {
                    drawn = draw_entry(args.control);
                }
                asked = End::open(block, args.end, shared.end);
            });
        End::settle(block, args.end, asked, shared.end);
        if (block.thread() == 0) {
            shared.next = next_step(block, args, drawn);
            shared.drawn = drawn;
        }
        block.sync();
        if (shared.end.failed) {
            return;
        }
        if (block.warp() == 0) {
            const accumulator all =
                warp_fold_list(block, piece::of(args.algebra), valid,
                               [&](int w) -> accumulator { return shared.folds[0][w].value; });
            if (block.lane() == 0) {
                if (shared.next == step::finish) {
                    leave(args, shared, all);
                } else {
                    partials_of(block, args).leave(block.index(), all, shared.drawn.epoch());
                }
            }
        }
        if (shared.next == step::meet) {
            meet(block, args, shared);
        }
        if (shared.next != step::leave) {
            End::run(block, args.algebra, args.end, shared.end);
        }
    }

private:
    RANKFOLD_DEVICE static launch_draws draws_of(const simt::block& block, const arguments& args)
    {
        return {args.control, block.count(), partials_of(block, args).end(), args.end.failure};
    }

    RANKFOLD_DEVICE static partials partials_of(const simt::block& block, const arguments& args)
    {
        return {args.partials, block.count()};
    }

    /// In a launch that fails by overlap the block gives up when it meets.
    RANKFOLD_DEVICE static step next_step(const simt::block& block, const arguments& args, const draw& drawn)
    {
        if (block.count() == 1) {
            return step::finish;
        }
        const launch_draws draws = draws_of(block, args);
        draws.overlap(drawn);
        return draws.is_over(drawn) ? step::meet : step::leave;
    }

    RANKFOLD_DEVICE static void meet(const simt::block& block, const arguments& args, storage& shared)
    {
        const draw drawn = shared.drawn;
        const launch_draws draws = draws_of(block, args);
        const std::uint64_t closing = draws.begin_close(block, drawn);
        End::claim(block, args.end, shared.end);
        const partial<accumulator> all =
            partials_of(block, args)
                .fold(block, piece::of(args.algebra), draws, drawn, shared.folds[1], shared.end.gave_up);
        if (block.thread() == 0) {
            leave(args, shared, all.value());
        }
        if (!draws.end_close(block, drawn, closing) && !End::has_left(args.end)) {
            shared.end.gave_up = true;
        }
    }

    /// By one thread, with the fold of the piece.
    RANKFOLD_DEVICE static void leave(const arguments& args, storage& shared, const accumulator& all)
    {
        End::leave(args.algebra, args.end, shared.end, args.record,
                   partial<typename A::accumulator>(piece::seal(args.algebra, all, args.count)));
    }
};

} // namespace rankfold::device
