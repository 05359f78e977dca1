// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The first pass of a scan on two or more ranks: reduces the piece into a record, and keeps the block
// partials in the workspace. Reads n.
#pragma once

#include "rankfold/host/partials.hpp"

namespace rankfold::host {

template <Algebra A>
void tile_reduce(const operation& operation, const scan_task& task, const place& place)
{
    using input = typename A::input;
    const A algebra = algebra_of<A>(operation);
    auto* partials = detail::partials_in<A>(task.workspace);
    detail::reduce_blocks(algebra, static_cast<const input*>(task.input), 0, task.count, partials,
                          place.threads);
    partial<typename A::accumulator> total;
    detail::append_blocks(algebra, partials, block_count<input>(task.count), total);
    write_record(task.record, detail::seal(algebra, total, task.count));
}

} // namespace rankfold::host
