// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a run is scheduled: everything follows from the seed.
#pragma once

#include <cstdint>
#include <string>

namespace rankfold::simt::executor {

enum class fairness {
    fair,          ///< threads take turns
    random,        ///< any thread may be next
    starved_block, ///< one block runs only when nobody else can
    newest_first,  ///< the block that started last runs until it waits
};

enum class block_order { by_index, backwards, shuffled };

struct schedule {
    std::uint64_t seed = 1;
    fairness mode = fairness::random;
    int resident_blocks = 1 << 20; ///< per GPU; the next block starts when one ends
    block_order starts = block_order::by_index;
    std::uint32_t switch_weight = 64; ///< of 256: how often a primitive lets another thread run
    std::uint32_t stale_weight = 128; ///< of 256: how often a load returns an old value where it may
    std::uint32_t copy_weight = 32;   ///< of 256: how often a primitive completes a part of a bulk copy
    std::uint32_t clock_step_ns = 4;  ///< of the virtual clocks, per primitive, on average
    std::uint32_t clock_slip_ns = 0;  ///< so much older than the one before it a reading of a clock may be
    std::uint32_t ask_period = 2; ///< failed polls of a wait from one question whether to give up to the next
    std::uint64_t step_budget = 20'000'000; ///< primitives called outside of waits

    /// Every mode, residency and weight turns up within a few dozen neighbouring seeds.
    static schedule from_seed(std::uint64_t seed);
    [[nodiscard]] std::string describe() const;
};

} // namespace rankfold::simt::executor
