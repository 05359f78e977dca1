// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The second pass of a scan on two or more ranks: scans every block with its carry. Threads walk the blocks
// that they reduced in the first pass backwards, so that what that pass left in the cache is read from there.
// Reads n, writes n.
#pragma once

#include "rankfold/host/partials.hpp"
#include "rankfold/host/scan_block.hpp"

namespace rankfold::host {
namespace detail {

/// Turns the block partials into the partials of everything in the piece that stands before each block but
/// the first.
template <Algebra A>
void accumulate_partials(const A& algebra, typename A::accumulator* partials, std::int64_t blocks)
{
    for (std::int64_t b = 1; b < blocks; ++b) {
        partials[b] = algebra.combine(partials[b - 1], partials[b]);
    }
}

} // namespace detail

template <Algebra A>
void tile_scan(const operation& operation, const scan_task& task, const place& place)
{
    using accumulator = typename A::accumulator;
    constexpr std::int64_t block = block_elements<typename A::input>;
    const A algebra = algebra_of<A>(operation);
    const auto* x = static_cast<const typename A::input*>(task.input);
    auto* y = static_cast<typename A::output*>(task.output);
    auto* partials = detail::partials_in<A>(task.workspace);
    const std::int64_t blocks = block_count<typename A::input>(task.count);
    const partial<accumulator> piece_carry = read_record<accumulator>(task.carry);
    detail::accumulate_partials(algebra, partials, blocks);
    const scan_mode mode{task.inclusive,
                         larger_than_cache(static_cast<std::size_t>(task.count) * sizeof(*y))};
    for_each_block(place.threads, blocks, walk::backwards, [&](std::int64_t b) {
        const std::int64_t first = b * block;
        partial<accumulator> carry = piece_carry;
        if (b > 0) {
            carry.append(algebra, partial<accumulator>(partials[b - 1]));
        }
        scan_block(algebra, x + first, y + first, first, std::min(block, task.count - first), carry, mode);
    });
}

} // namespace rankfold::host
