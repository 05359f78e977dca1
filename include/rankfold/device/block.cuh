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

    /// The fold over the threads below; those without a value stand above all that have one.
    template <Algebra A>
    RANKFOLD_DEVICE partial<T> before(const simt::block& block, const A& algebra, const partial<T>& mine)
    {
        partial<T> upto = mine;
        for (int delta = 1; delta < simt::warp_size; delta *= 2) {
            partial<T> left = block.shuffle_up(upto, delta);
            if (block.lane() >= delta) {
                left.append(algebra, upto);
                upto = left;
            }
        }
        if (block.lane() == simt::warp_size - 1 && upto.has_value()) {
            folds[block.warp()].value = upto.value();
        }
        const bool warp_full = block.shuffle(mine.has_value(), 0);
        block.sync();
        partial<T> result;
        for (int w = 0; w < block.warp() && warp_full; ++w) {
            result.append(algebra, partial<T>(folds[w].value));
        }
        const partial<T> left = block.shuffle_up(upto, 1);
        if (block.lane() > 0) {
            result.append(algebra, left);
        }
        return result;
    }
};

} // namespace rankfold::device
