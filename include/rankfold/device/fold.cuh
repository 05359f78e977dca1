// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lift and fold: what stands before and after an exchange.
//
// lift   one thread per value: value -> sealed record.
// fold   one block:
//   1. Threads compare the fingerprints of all ranks with this rank's own, byte by byte, and look for error
//   slots.
//   2. Where a rank failed or called something else, the failure word is set and mirrored for the host;
//   nothing is written.
//   3. Otherwise each thread folds one record number over the ranks, left to right, and writes what is asked
//   for.
//
// Traffic: a slot per rank.
#pragma once

#include "rankfold/device/control.cuh"
#include "rankfold/device/value.cuh"
#include "rankfold/error.hpp"

namespace rankfold::device {

template <Algebra A, int Threads>
struct lift_kernel {
    static constexpr int threads = Threads;
    static constexpr int resident = 1;

    struct arguments {
        A algebra;
        const typename A::input* values;
        int count;
        std::byte* records;
        const failure_word* failure;
    };

    struct storage {
        bool failed;
    };

    RANKFOLD_DEVICE static void run(simt::block& block, const arguments& args, storage& shared)
    {
        using accumulator = typename A::accumulator;
        if (block.thread() == 0) {
            shared.failed = has_failed(args.failure);
        }
        block.sync();
        const int i = block.index() * block.threads() + block.thread();
        if (i < args.count && !shared.failed) {
            const accumulator lifted = args.algebra.seal(args.algebra.lift(args.values[i], 0), 1);
            write_record(args.records + i * record_bytes(sizeof(accumulator)), partial<accumulator>(lifted));
        }
    }
};

/// What is wrong with the slot of a rank, as a number whose minimum over the ranks is what the call fails
/// with: failed ranks before ranks that called something else, the lowest first. The lowest byte is the code.
struct verdict {
    std::uint64_t key;

    static constexpr std::uint64_t agreed = ~std::uint64_t{0};
    static constexpr std::uint64_t disagrees = std::uint64_t{1} << 48;

    RANKFOLD_DEVICE static verdict of(const slot* slots, int rank, int own)
    {
        constexpr int words = sizeof(fingerprint) / 4;
        std::uint32_t head[words];
        std::uint32_t expected[words];
        memcpy(head, &slots[rank].head, sizeof(fingerprint));
        memcpy(expected, &slots[own].head, sizeof(fingerprint));
        const std::uint64_t place = static_cast<std::uint64_t>(rank) << 8;
        if (slots[rank].head.error != 0) {
            return {place | slots[rank].head.error};
        }
        bool same = true;
        for (int w = 0; w < words; ++w) {
            same = same && head[w] == expected[w];
        }
        return {same ? agreed : disagrees | place | static_cast<std::uint64_t>(errc::mismatch)};
    }

    RANKFOLD_DEVICE void keep_worse(const verdict& other) { key = other.key < key ? other.key : key; }
};

template <Algebra A, int Threads>
struct fold_kernel {
    using accumulator = typename A::accumulator;
    static constexpr int threads = Threads;
    static constexpr int resident = 1;
    static constexpr int warps = Threads / simt::warp_size;

    struct arguments {
        A algebra;
        fold_task task;
        std::uint32_t call;
        failure_word* failure;
        failure_word* failure_mirror;
    };

    struct storage {
        verdict worst[warps];
        bool failed;
    };

    RANKFOLD_DEVICE static void run(simt::block& block, const arguments& args, storage& shared)
    {
        if (block.thread() == 0) {
            shared.failed = has_failed(args.failure);
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
        if (worst.key != verdict::agreed) {
            if (block.thread() == 0) {
                fail(args, static_cast<std::uint32_t>(worst.key & 0xff));
            }
            return;
        }
        for (int i = block.thread(); i < args.task.record_count; i += block.threads()) {
            fold_record(args, i);
        }
    }

private:
    RANKFOLD_DEVICE static void compare(const simt::block& block, const fold_task& task, storage& shared)
    {
        verdict worst{verdict::agreed};
        for (int r = block.thread(); task.slots != nullptr && r < task.ranks; r += block.threads()) {
            worst.keep_worse(verdict::of(task.slots, r, task.rank));
        }
        for (int delta = 1; delta < simt::warp_size; delta *= 2) {
            worst.keep_worse(block.shuffle_xor(worst, delta));
        }
        if (block.lane() == 0) {
            shared.worst[block.warp()] = worst;
        }
    }

    /// The first that fails names the call; the host sees the code last, when the number is there.
    RANKFOLD_DEVICE static void fail(const arguments& args, std::uint32_t code)
    {
        if (args.failure == nullptr || simt::atomic_compare_exchange(&args.failure->code, 0U, code) != 0) {
            return;
        }
        simt::store_relaxed<simt::scope::device>(&args.failure->call, args.call);
        if (args.failure_mirror != nullptr) {
            simt::store_relaxed<simt::scope::system>(&args.failure_mirror->call, args.call);
            simt::store_release<simt::scope::system>(&args.failure_mirror->code, code);
        }
    }

    RANKFOLD_DEVICE static void fold_record(const arguments& args, int i)
    {
        const fold_task& task = args.task;
        const std::byte* records = task.records + i * record_bytes(sizeof(accumulator));
        if (task.total != nullptr || task.must_have_value) {
            const partial<accumulator> all = fold_ranks(args, records, task.ranks);
            if (task.must_have_value && !all.has_value()) {
                return fail(args, static_cast<std::uint32_t>(errc::usage));
            }
            if (task.total != nullptr) {
                write_result(args, task.total, i, all);
            }
        }
        if (task.prefix == nullptr && task.carry == nullptr) {
            return;
        }
        const partial<accumulator> below = fold_ranks(args, records, task.rank);
        if (task.prefix != nullptr) {
            write_result(args, task.prefix, i, below);
        }
        if (task.carry != nullptr) {
            write_record(task.carry + i * record_bytes(sizeof(accumulator)), below);
        }
    }

    /// The init and the records of ranks 0 to last - 1.
    RANKFOLD_DEVICE static partial<accumulator> fold_ranks(const arguments& args, const std::byte* records,
                                                           int last)
    {
        partial<accumulator> all = raise_init(args.algebra, args.task.init);
        all.append(args.algebra,
                   fold_records(args.algebra, records, args.task.stride, 0, last, args.task.ranks));
        return all;
    }

    RANKFOLD_DEVICE static void write_result(const arguments& args, void* results, int i,
                                             const partial<accumulator>& value)
    {
        auto* const result = static_cast<typename A::output*>(results) + i;
        if (value.has_value()) {
            *result = args.algebra.lower(value.value());
        } else if constexpr (A::has_identity) {
            *result = args.algebra.lower(args.algebra.identity());
        }
    }
};

} // namespace rankfold::device
