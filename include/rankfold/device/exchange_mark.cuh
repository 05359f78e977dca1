// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What stands before and after an exchange that a library does in kernels of its own: marks by which the
// host's watchdog sees for how long it is under way, and the busy word.
//
//   open   1. Moves the sequence from even to odd. Found odd, another call's exchange is under way: calls of
//             one communicator overlap, and the failure word is set.
//          2. The slot gets the fingerprint of the call. A rank that has failed sends an error instead of its
//             records, so that all ranks fail together.
//   close  Moves the sequence on to even.
//
// Traffic: a few words. Nothing waits.
#pragma once

#include "rankfold/device/failure.cuh"
#include "rankfold/exchange_mark.hpp"

namespace rankfold::device {

struct exchange_mark_kernel {
    static constexpr int threads = simt::warp_size;
    static constexpr int resident = 1;

    struct arguments {
        bool opens;
        std::uint32_t* sequence; ///< in device memory, 0 at first; odd while an exchange is under way
        exchange_mark* mirror;   ///< for the host
        slot* own;               ///< sent next; null where it closes
        fingerprint head;        ///< of the call
        failure_report failure;
    };
    struct storage {};

    RANKFOLD_DEVICE static void run(simt::block& block, const arguments& args, storage& /*shared*/)
    {
        if (block.thread() != 0) {
            return;
        }
        if (args.opens) {
            open(args);
        } else {
            move_on(args, simt::load_relaxed<simt::scope::device>(args.sequence) | 1);
        }
    }

private:
    RANKFOLD_DEVICE static void open(const arguments& args)
    {
        const std::uint32_t even = simt::load_relaxed<simt::scope::device>(args.sequence) & ~std::uint32_t{1};
        if (simt::atomic_compare_exchange(args.sequence, even, even | 1) == even) {
            move_on(args, even);
        } else {
            fail(args.failure, errc::busy);
        }
        const std::uint32_t code = simt::load_relaxed<simt::scope::device>(&args.failure.word->code);
        args.own->head = args.head;
        if (code != 0) {
            args.own->head.error = static_cast<std::uint8_t>(code);
        }
    }

    RANKFOLD_DEVICE static void move_on(const arguments& args, std::uint32_t from)
    {
        simt::store_relaxed<simt::scope::device>(args.sequence, from + 1);
        simt::store_relaxed<simt::scope::system>(&args.mirror->call, args.failure.call);
        simt::store_release<simt::scope::system>(&args.mirror->sequence, from + 1);
    }
};

} // namespace rankfold::device
