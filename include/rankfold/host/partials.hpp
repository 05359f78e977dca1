// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The partials of the blocks of a piece, kept in the workspace of a call.
#pragma once

#include "rankfold/host/parallel.hpp"
#include "rankfold/host/reduce_block.hpp"
#include "rankfold/operation.hpp"

#include <cstdint>
#include <memory>

namespace rankfold::host {

/// One accumulator per block of a scan: below 0.1 % of the input. A reduction needs those of one round.
template <Algebra A>
std::size_t workspace_bytes(std::int64_t max_count, const place&)
{
    using accumulator = typename A::accumulator;
    const std::int64_t blocks = std::max(block_count<typename A::input>(max_count), round_blocks);
    return static_cast<std::size_t>(blocks) * sizeof(accumulator) + alignof(accumulator);
}

namespace detail {

/// Where objects of type T lie in a workspace that has alignof(T) bytes to spare.
template <class T>
T* aligned_in(void* workspace)
{
    constexpr std::uintptr_t alignment = alignof(T);
    const std::uintptr_t beyond = reinterpret_cast<std::uintptr_t>(workspace) % alignment;
    return reinterpret_cast<T*>(static_cast<std::byte*>(workspace) + (alignment - beyond) % alignment);
}

template <Algebra A>
typename A::accumulator* partials_in(void* workspace)
{
    return aligned_in<typename A::accumulator>(workspace);
}

/// Reduces every block of [begin, begin + count) of the piece at `x` into its partial; `begin` starts a
/// block.
template <Algebra A>
void reduce_blocks(const A& algebra, const typename A::input* x, std::int64_t begin, std::int64_t count,
                   typename A::accumulator* partials, int threads)
{
    constexpr std::int64_t block = block_elements<typename A::input>;
    for_each_block(threads, block_count<typename A::input>(count), walk::forwards, [=](std::int64_t b) {
        const std::int64_t first = begin + b * block;
        std::construct_at(&partials[b],
                          reduce_block(algebra, x + first, first, std::min(block, begin + count - first)));
    });
}

/// Appends blocks to a running total: groups of blocks left to right, then the groups left to right. Calls
/// for one piece hand in whole groups, but for the last.
template <Algebra A>
void append_blocks(const A& algebra, const typename A::accumulator* partials, std::int64_t blocks,
                   partial<typename A::accumulator>& total)
{
    using accumulator = typename A::accumulator;
    for (std::int64_t begin = 0; begin < blocks; begin += group_blocks) {
        const std::int64_t end = std::min(begin + group_blocks, blocks);
        accumulator group = partials[begin];
        for (std::int64_t b = begin + 1; b < end; ++b) {
            group = algebra.combine(group, partials[b]);
        }
        total.append(algebra, partial<accumulator>(group));
    }
}

/// The partial of a whole piece of `count` elements.
template <Algebra A>
partial<typename A::accumulator> seal(const A& algebra, const partial<typename A::accumulator>& total,
                                      std::int64_t count)
{
    using accumulator = typename A::accumulator;
    return total.has_value() ? partial<accumulator>(algebra.seal(total.value(), count)) : total;
}

} // namespace detail
} // namespace rankfold::host
