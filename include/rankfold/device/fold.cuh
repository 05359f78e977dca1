// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// fold: the records of all ranks, or of the lower ones, left to right. One block:
//   1. Threads compare the fingerprints of all ranks with this rank's own, and look for error slots.
//   2. Where a rank failed or called something else, the failure word is set and mirrored for the host;
//      nothing is written.
//   3. Otherwise each thread folds one record number over the ranks, and writes what is asked for.
// Where a kernel exchanges by itself (conclude.cuh), step 3 is all that is left.
//
// Traffic: a slot per rank.
#pragma once

#include "rankfold/device/control.cuh"

namespace rankfold::device {

/// Step 3, by a whole block.
template <Algebra A>
class rank_fold {
public:
    using accumulator = typename A::accumulator;

    /// @param records  of rank 0, `stride` bytes before the next rank's: where the task says, or a copy
    RANKFOLD_DEVICE rank_fold(const A& algebra, const fold_task& task, const std::byte* records,
                              std::size_t stride)
        : algebra_(algebra), task_(task), records_(records), stride_(stride)
    {
    }

    RANKFOLD_DEVICE void run(const simt::block& block, const failure_report& failure) const
    {
        RANKFOLD_NO_UNROLL
        for (int i = block.thread(); i < task_.record_count; i += block.threads()) {
            write(i, failure, [&](int last) { return below(last, i); });
        }
    }

    /// By one thread, on the only rank, whose only record is `own`.
    RANKFOLD_DEVICE void run_alone(const partial<accumulator>& own, const failure_report& failure) const
    {
        write(0, failure, [&](int last) {
            partial<accumulator> all = raise_init(algebra_, task_.init);
            if (last > 0) {
                all.append(algebra_, own);
            }
            return all;
        });
    }

    /// The init and the records number `i` of ranks 0 to last - 1.
    RANKFOLD_DEVICE partial<accumulator> below(int last, int i = 0) const
    {
        partial<accumulator> all = raise_init(algebra_, task_.init);
        all.append(algebra_, fold_records(algebra_, records_ + i * record_bytes(sizeof(accumulator)), stride_,
                                          0, last, task_.ranks));
        return all;
    }

private:
    /// @param fold_below  (last): the init and the records number `i` of ranks 0 to last - 1
    template <class Fold>
    RANKFOLD_DEVICE void write(int i, const failure_report& failure, Fold fold_below) const
    {
        if (task_.total != nullptr || task_.must_have_value) {
            const partial<accumulator> all = fold_below(task_.ranks);
            if (task_.must_have_value && !all.has_value()) {
                fail(failure, errc::usage);
                return;
            }
            if (task_.total != nullptr) {
                write_result(task_.total, i, all);
            }
        }
        if (task_.prefix == nullptr && task_.carry == nullptr) {
            return;
        }
        const partial<accumulator> before = fold_below(task_.rank);
        if (task_.prefix != nullptr) {
            write_result(task_.prefix, i, before);
        }
        if (task_.carry != nullptr) {
            write_record(task_.carry + i * record_bytes(sizeof(accumulator)), before);
        }
    }

    RANKFOLD_DEVICE void write_result(void* results, int i, const partial<accumulator>& value) const
    {
        auto* const result = static_cast<typename A::output*>(results) + i;
        if (value.has_value()) {
            *result = algebra_.lower(value.value());
        } else if constexpr (A::has_identity) {
            *result = algebra_.lower(algebra_.identity());
        }
    }

    const A& algebra_;
    const fold_task& task_;
    const std::byte* records_;
    std::size_t stride_;
};

template <Algebra A, int Threads>
struct fold_kernel {
    static constexpr int threads = Threads;
    static constexpr int resident = 1;
    static constexpr int warps = Threads / simt::warp_size;

    struct arguments {
        A algebra;
        fold_task task;
        failure_report failure;
    };

    struct storage {
        verdict worst[warps];
        bool failed;
    };

    RANKFOLD_DEVICE static void run(simt::block& block, const arguments& args, storage& shared)
    {
        if (block.thread() == 0) {
            shared.failed = has_failed(args.failure.word);
        }
        compare(block, args.task, shared);
        block.sync();
        if (shared.failed) {
            return;
        }
        verdict worst = shared.worst[0];
        for (int w = 1; w < block.warps(); ++w) {
            worst.keep_worse(shared.worst[w]);
        }
        if (worst.code() == errc::success) {
            rank_fold<A>(args.algebra, args.task, args.task.records, args.task.stride)
                .run(block, args.failure);
        } else if (block.thread() == 0) {
            fail(args.failure, worst.code());
        }
    }

private:
    RANKFOLD_DEVICE static void compare(const simt::block& block, const fold_task& task, storage& shared)
    {
        verdict worst;
        const int words = task.slots != nullptr ? task.ranks * head_words : 0;
        RANKFOLD_NO_UNROLL
        for (int i = block.thread(); i < words; i += block.threads()) {
            const int rank = i / head_words;
            const int w = i % head_words;
            worst.keep_worse(verdict::of(rank, w, head_word(task.slots[rank].head, w),
                                         head_word(task.slots[task.rank].head, w)));
        }
        worst.join_lanes(block);
        if (block.lane() == 0) {
            shared.worst[block.warp()] = worst;
        }
    }
};

} // namespace rankfold::device
