// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Folds and scans over the lanes of a warp, always in lane order, so that the operator need not commute.
#pragma once

#include "rankfold/device/value.cuh"

namespace rankfold::device {

/// The fold of all lanes, in lane 0; other lanes get something else.
template <Algebra A>
RANKFOLD_DEVICE typename A::accumulator warp_fold(const simt::block& block, const A& algebra,
                                                  typename A::accumulator mine)
{
    RANKFOLD_UNROLL
    for (int delta = 1; delta < simt::warp_size; delta *= 2) {
        mine = algebra.combine(mine, block.shuffle_down(mine, delta)); // lane 0 reads whom that served well
    }
    return mine;
}

/// The fold of the first `valid` lanes (at least one), in lane 0; other lanes get something else.
template <Algebra A>
RANKFOLD_DEVICE typename A::accumulator warp_fold(const simt::block& block, const A& algebra,
                                                  typename A::accumulator mine, int valid)
{
    RANKFOLD_UNROLL
    for (int delta = 1; delta < simt::warp_size; delta *= 2) {
        const auto right = block.shuffle_down(mine, delta);
        if (block.lane() + delta < valid) {
            mine = algebra.combine(mine, right);
        }
    }
    return mine;
}

/// Lane l gets the fold of lanes 0 to l.
template <Algebra A>
RANKFOLD_DEVICE typename A::accumulator warp_scan(const simt::block& block, const A& algebra,
                                                  typename A::accumulator mine)
{
    RANKFOLD_UNROLL
    for (int delta = 1; delta < simt::warp_size; delta *= 2) {
        const auto left = block.shuffle_up(mine, delta);
        if (block.lane() >= delta) {
            mine = algebra.combine(left, mine);
        }
    }
    return mine;
}

/// Lane l gets the fold of values[l % Count] over all lanes. Every step halves the values, so that it costs
/// little more than the fold of one. Count is a power of two; the values are lost.
template <int Count, int Delta = 1, Algebra A, int Size>
RANKFOLD_DEVICE typename A::accumulator warp_fold_many(const simt::block& block, const A& algebra,
                                                       uninitialised<typename A::accumulator> (&values)[Size])
{
    static_assert((Count & (Count - 1)) == 0 && Count * Delta <= simt::warp_size && Count <= Size);
    const bool is_right = block.lane() & Delta;
    constexpr int half = Count > 1 ? Count / 2 : 1;
    RANKFOLD_UNROLL
    for (int i = 0; i < half; ++i) {
        // The left lane keeps the even value, the right one the odd one.
        const auto even = values[2 * i].value;
        const auto odd = values[Count > 1 ? 2 * i + 1 : 0].value;
        const auto other = block.shuffle_xor(select(is_right, even, odd), Delta);
        values[i].value = algebra.combine(select(is_right, other, even), select(is_right, odd, other));
    }
    if constexpr (2 * Delta == simt::warp_size) {
        return values[0].value;
    } else {
        return warp_fold_many<half, 2 * Delta>(block, algebra, values);
    }
}

/// The fold of read(0) to read(count - 1), at least one and at most one for a lane, by one warp; in lane 0.
template <Algebra A, class Read>
RANKFOLD_DEVICE typename A::accumulator warp_fold_list(const simt::block& block, const A& algebra, int count,
                                                       Read read)
{
    return warp_fold(block, algebra, read(block.lane() < count ? block.lane() : 0), count);
}

} // namespace rankfold::device
