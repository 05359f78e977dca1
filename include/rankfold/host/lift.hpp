// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Makes records of single values: each is a piece of one element.
#pragma once

#include "rankfold/operation.hpp"

namespace rankfold::host {

template <Algebra A>
void lift(const operation& operation, const lift_task& task, const place&)
{
    using accumulator = typename A::accumulator;
    const A algebra = algebra_of<A>(operation);
    const auto* values = static_cast<const typename A::input*>(task.values);
    for (int k = 0; k < task.count; ++k) {
        write_record(task.records + static_cast<std::size_t>(k) * record_bytes(sizeof(accumulator)),
                     partial<accumulator>(algebra.seal(algebra.lift(values[k], 0), 1)));
    }
}

} // namespace rankfold::host
