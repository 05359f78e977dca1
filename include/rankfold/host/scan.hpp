// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The scan of the only rank, in one pass over memory.
//
//   1. A thread takes the next block and reduces it: the block comes from memory.
//   2. In turn, the carry is taken and the block's partial is folded into it: a left fold over blocks in
//      index order.
//   3. The block is scanned with its carry: it comes from the thread's cache, and only the result goes to
//      memory.
//
// Traffic: reads n, writes n. Threads wait for each other in step 2 only, for a few instructions.
#pragma once

#include "rankfold/host/fold.hpp"
#include "rankfold/host/parallel.hpp"
#include "rankfold/host/reduce_block.hpp"
#include "rankfold/host/scan_block.hpp"

namespace rankfold::host {

template <Algebra A>
void scan(const operation& operation, const scan_task& task, const place& place)
{
    using accumulator = typename A::accumulator;
    constexpr std::int64_t block = block_elements<typename A::input>;
    const A algebra = algebra_of<A>(operation);
    const auto* x = static_cast<const typename A::input*>(task.input);
    auto* y = static_cast<typename A::output*>(task.output);
    const std::int64_t blocks = block_count<typename A::input>(task.count);
    partial<accumulator> total = detail::raise_init(algebra, task.init);
    partial<accumulator> piece;
    const scan_mode mode{task.inclusive,
                         larger_than_cache(static_cast<std::size_t>(task.count) * sizeof(*y))};
    turnstile turn;
    for_each_block_rising(place.threads, blocks, [&](std::int64_t b) {
        const std::int64_t first = b * block;
        const std::int64_t count = std::min(block, task.count - first);
        partial<accumulator> reduced;
        if (b + 1 < blocks || task.total) {
            reduced = partial<accumulator>(reduce_block(algebra, x + first, first, count));
        }
        turn.enter(b);
        partial<accumulator> carry = total;
        carry.append(algebra, piece);
        piece.append(algebra, reduced);
        turn.leave(b);
        scan_block(algebra, x + first, y + first, first, count, carry, mode);
    });
    if (task.total) {
        if (piece.has_value()) {
            total.append(algebra, partial<accumulator>(algebra.seal(piece.value(), task.count)));
        }
        detail::write_result(algebra, total, task.total);
    }
}

} // namespace rankfold::host
