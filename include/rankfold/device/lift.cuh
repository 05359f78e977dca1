// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lift: single values into sealed records; the whole of an exscan where it concludes. One block.
//
//   1. A thread takes one value after another: value -> record.
//   2. The block exchanges and folds (conclude.cuh), if it is to.
//
// Traffic: each value is read once.
#pragma once

#include "rankfold/device/conclude.cuh"

namespace rankfold::device {

template <Algebra A, int Threads>
struct lift_kernel {
    using accumulator = typename A::accumulator;
    static constexpr int threads = Threads;
    static constexpr int resident = 1;

    struct arguments {
        A algebra;
        const typename A::input* values;
        int count;
        std::byte* records;
        device::ending end;
    };

    struct storage {
        typename conclude<A>::storage end;
    };

    RANKFOLD_DEVICE static void run(simt::block& block, const arguments& args, storage& shared)
    {
        const mailbox::opening asked = conclude<A>::open(block, args.end, shared.end);
        std::byte* const records = conclude<A>::record(args.end, shared.end, args.records);
        RANKFOLD_NO_UNROLL
        for (int i = block.thread(); i < args.count; i += block.threads()) {
            write_record(records + i * record_bytes(sizeof(accumulator)),
                         partial<accumulator>(args.algebra.seal(args.algebra.lift(args.values[i], 0), 1)));
        }
        conclude<A>::settle(block, args.end, asked, shared.end);
        conclude<A>::run(block, args.algebra, args.end, shared.end);
    }
};

} // namespace rankfold::device
