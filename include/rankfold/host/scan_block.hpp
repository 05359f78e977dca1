// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The scan of one block by one thread, with what stands before it.
#pragma once

#include "rankfold/slot.hpp"

#include <cstdint>

namespace rankfold::host {

/// Scans `count` >= 1 elements at `x` into `y` (== x or disjoint); `first` is the index of x[0] in the piece.
template <Algebra A>
void scan_block(const A algebra, const typename A::input* x, typename A::output* y, std::int64_t first,
                std::int64_t count, const partial<typename A::accumulator>& carry, bool inclusive)
{
    using accumulator = typename A::accumulator;
    accumulator running = algebra.lift(x[0], first);
    if (carry.has_value()) {
        running = algebra.combine(carry.value(), running);
    }
    if (inclusive) {
        y[0] = algebra.lower(running);
        for (std::int64_t i = 1; i < count; ++i) {
            running = algebra.combine(running, algebra.lift(x[i], first + i));
            y[i] = algebra.lower(running);
        }
        return;
    }
    if (carry.has_value()) {
        y[0] = algebra.lower(carry.value());
    } else if constexpr (A::has_identity) {
        y[0] = algebra.lower(algebra.identity());
    }
    for (std::int64_t i = 1; i < count; ++i) {
        const accumulator value = algebra.lift(x[i], first + i);
        y[i] = algebra.lower(running);
        running = algebra.combine(running, value);
    }
}

} // namespace rankfold::host
