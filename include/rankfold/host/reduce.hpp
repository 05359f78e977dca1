// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reduces one piece into one record: every block by one thread, then the block partials in order. Reads n
// once.
#pragma once

#include "rankfold/host/partials.hpp"

namespace rankfold::host {

template <Algebra A>
void reduce(const operation& operation, const reduce_task& task, const place& place)
{
    using input = typename A::input;
    const A algebra = algebra_of<A>(operation);
    auto* partials = detail::partials_in<A>(task.workspace);
    detail::reduce_blocks(algebra, static_cast<const input*>(task.input), task.count, partials,
                          place.threads);
    write_record(task.record,
                 detail::fold_blocks(algebra, partials, block_count<input>(task.count), task.count));
}

} // namespace rankfold::host
