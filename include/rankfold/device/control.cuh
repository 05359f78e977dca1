// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the blocks of a launch agree by: tickets, the epoch of a call.
#pragma once

#include "rankfold/device/failure.cuh"
#include "rankfold/device/value.cuh"

namespace rankfold::device {

/// Head of a workspace, each word in a cache line of its own. All zero before the first call; every launch
/// leaves the tickets at zero.
struct control {
    alignas(128) std::uint32_t ticket;  ///< next chunk or tile
    alignas(128) std::uint32_t arrived; ///< blocks that have finished
    alignas(128) std::uint32_t epoch;   ///< of the last call; never 0 while a call runs
    alignas(128) std::uint64_t tiles;   ///< the most tiles of any call that stamped words
};

/// One thread of every block, after its block has finished. True in the last block, which then sees what all
/// wrote.
RANKFOLD_DEVICE bool arrive_last(const simt::block& block, control* control)
{
    simt::fence<simt::scope::device>();
    const auto others = static_cast<std::uint32_t>(block.count() - 1);
    const bool last = simt::atomic_increment(&control->arrived, others) == others;
    simt::fence<simt::scope::device>();
    return last;
}

/// An init as a partial; absent where none was given.
template <Algebra A>
RANKFOLD_DEVICE partial<typename A::accumulator> raise_init(const A& algebra, const init_value& init)
{
    if (!init.given) {
        return {};
    }
    uninitialised<typename A::output> copy;
    memcpy(static_cast<void*>(&copy.value), init.bytes.data(), sizeof(typename A::output));
    return partial<typename A::accumulator>(algebra.raise(copy.value));
}

} // namespace rankfold::device
