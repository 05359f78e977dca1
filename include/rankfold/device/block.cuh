// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prefixes over the threads of a block, in thread order, so that the operator need not commute.
#pragma once

#include "rankfold/device/warp.cuh"

namespace rankfold::device {

/// What stands before each thread of a block. Shared memory of the block.
template <class T, int Warps>
struct thread_prefixes {
    uninitialised<T> folds[Warps];

    /// The fold over the threads below, of a block whose first `valid` threads have a value that counts. All
    /// lanes of their warps have some; threads behind them get something.
    template <Algebra A>
    RANKFOLD_DEVICE partial<T> before(const simt::block& block, const A& algebra, const partial<T>& mine,
                                      int valid)
    {
        const bool counts = block.warp() * simt::warp_size < valid;
        uninitialised<T> upto;
        if (counts) {
            upto.value = warp_scan(block, algebra, mine.value());
            if (block.lane() == simt::warp_size - 1) {
                folds[block.warp()].value = upto.value;
            }
        }
        block.sync();
        partial<T> result;
        if (counts) {
            for (int w = 0; w < block.warp(); ++w) {
                result.append(algebra, partial<T>(folds[w].value));
            }
            const T left = block.shuffle_up(upto.value, 1);
            if (block.lane() > 0) {
                result.append(algebra, partial<T>(left));
            }
        }
        return result;
    }
};

} // namespace rankfold::device
