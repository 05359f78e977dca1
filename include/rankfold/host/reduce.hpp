// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reduces one piece into one record, in rounds: every block by one thread, then the block partials in order.
// Reads n once; the workspace does not grow with n.
#pragma once

#include "rankfold/host/partials.hpp"

namespace rankfold::host {

template <Algebra A>
void reduce(const operation& operation, const reduce_task& task, const place& place)
{
    using input = typename A::input;
    const A algebra = algebra_of<A>(operation);
    constexpr std::int64_t round = round_blocks * block_elements<input>;
    auto* partials = detail::partials_in<A>(task.workspace);
    partial<typename A::accumulator> total;
    for (std::int64_t first = 0; first < task.count; first += round) {
        const std::int64_t count = std::min(round, task.count - first);
        detail::reduce_blocks(algebra, static_cast<const input*>(task.input), first, count, partials,
                              place.threads);
        detail::append_blocks(algebra, partials, block_count<input>(count), total);
    }
    write_record(task.record, detail::seal(algebra, total, task.count));
}

} // namespace rankfold::host
