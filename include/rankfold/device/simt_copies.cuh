// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The part of simt.cuh that copies asynchronously into shared memory (sm_90), and the barriers that tell
// when.
#pragma once

#if !defined(RANKFOLD_DEVICE) || !defined(__CUDACC__)
#error "included by simt.cuh, under nvcc"
#endif

#include <cstdint>

namespace rankfold::simt {

/// A barrier in shared memory that counts arrivals and bytes; waiters name the parity of the phase they wait
/// for.
struct mbarrier {
    std::uint64_t state;

    /// One thread; then fence_mbarrier_init and a block barrier before use.
    RANKFOLD_DEVICE void init(std::uint32_t arrivals)
    {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(arrivals) : "memory");
    }
    RANKFOLD_DEVICE void arrive()
    {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address()) : "memory");
    }
    /// Arrives, and makes the phase wait for `bytes` of bulk copies as well.
    RANKFOLD_DEVICE void arrive_expect(std::uint32_t bytes)
    {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()), "r"(bytes)
                     : "memory");
    }
    /// True once the phase of this parity has completed; may wait a while.
    RANKFOLD_DEVICE bool try_wait(std::uint32_t parity)
    {
        std::uint32_t done;
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(done)
            : "r"(address()), "r"(parity)
            : "memory");
        return done != 0;
    }
    /// The same, without waiting.
    RANKFOLD_DEVICE bool test(std::uint32_t parity)
    {
        std::uint32_t done;
        asm volatile(
            "{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(done)
            : "r"(address()), "r"(parity)
            : "memory");
        return done != 0;
    }
    RANKFOLD_DEVICE void wait(std::uint32_t parity)
    {
        while (!try_wait(parity)) {
        }
    }
    RANKFOLD_DEVICE std::uint32_t address()
    {
        return static_cast<std::uint32_t>(__cvta_generic_to_shared(&state));
    }
};

/// After mbarrier::init, by the thread that called it: makes the barriers visible to the copy engine.
RANKFOLD_DEVICE void fence_mbarrier_init()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// Copies `bytes` (a multiple of 16, both ends 16-byte aligned) from global to shared memory; completes on
/// `done`.
RANKFOLD_DEVICE void bulk_load(void* shared, const void* global, std::uint32_t bytes, mbarrier& done)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            static_cast<std::uint32_t>(__cvta_generic_to_shared(shared))),
        "l"(global), "r"(bytes), "r"(done.address())
        : "memory");
}

} // namespace rankfold::simt
