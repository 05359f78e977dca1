// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the small protocol kernels share: intervals as words, and the faults planted in them.
#pragma once

#include "interval.hpp"

#include "rankfold/device/simt.cuh"

#include <bit>

namespace rankfold::simt::protocols {

enum class mutation {
    none,
    flag_before_data,    ///< the aggregate's flag is stored before the aggregate
    no_release_fence,    ///< between data and flag, on the writer's side
    no_acquire_fence,    ///< between flag and data, on the reader's side
    narrow_fence,        ///< block scope where other blocks read
    ticket_not_reset,    ///< the next launch finds the tickets of the last one
    tile_is_block_index, ///< no ticket: hangs when the blocks before are not resident
    parity_off_by_one,
    stage_reused_early, ///< the consumers' barrier is ignored by the producer
    no_barrier,         ///< shared memory read without waiting for its writers
    lane_missing,       ///< one lane skips an exchange
    divergent_barrier,  ///< one warp skips a block barrier
    missing_bytes,      ///< the phase expects fewer bytes than are copied
};

inline std::uint64_t to_word(interval i)
{
    return std::bit_cast<std::uint64_t>(i);
}
inline interval to_interval(std::uint64_t word)
{
    return std::bit_cast<interval>(word);
}

/// Joins that leave an empty left side alone.
inline interval append(interval left, interval right)
{
    return left == nothing ? right : right == nothing ? left : interval_algebra{}.combine(left, right);
}

/// Fold over the lanes of a warp in order; every lane has the result.
inline interval fold_warp(block& self, interval value)
{
    for (int delta = 1; delta < warp_size; delta *= 2) {
        const interval left = self.shuffle_up(value, delta);
        if (self.lane() >= delta) {
            value = append(left, value);
        }
    }
    return self.shuffle(value, warp_size - 1);
}

} // namespace rankfold::simt::protocols
