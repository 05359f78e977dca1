// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The inclusive prefix of one tile, from memory into the first-level cache.
#pragma once

#include "rankfold/slot.hpp"

#include <cstdint>
#include <memory>

namespace rankfold::host {

/// Inclusive prefixes of a tile of algebra A, one element after the other. The library has specialisations
/// that work on vectors, for operators and accumulators that vector instructions know.
template <Algebra A>
struct prefix {
    using input = typename A::input;
    using accumulator = typename A::accumulator;

    /// True where `scan` can write results to `y` itself, past the cache.
    static constexpr bool writes_past_cache(const typename A::output* /*y*/) { return false; }

    /// Writes `carry op before op x[0] op .. op x[i]` to y[i], in this grouping: prefixes are formed inside
    /// the block and the carry is joined last, so that long scans stay accurate and no chain of operations
    /// crosses blocks.
    /// @param carry   what stands before the block
    /// @param before  the part of the block before the tile; on return with the tile
    /// @param count   >= 1
    /// @param past_cache  only where writes_past_cache says so
    static void scan(const A algebra, const input* x, std::int64_t first, std::int64_t count,
                     const partial<accumulator>& carry, partial<accumulator>& before, accumulator* y,
                     bool /*past_cache*/)
    {
        accumulator running = algebra.lift(x[0], first);
        if (before.has_value()) {
            running = algebra.combine(before.value(), running);
        }
        const auto walk = [&](const auto& join) {
            std::construct_at(&y[0], join(running));
            for (std::int64_t i = 1; i < count; ++i) {
                running = algebra.combine(running, algebra.lift(x[i], first + i));
                std::construct_at(&y[i], join(running));
            }
        };
        if (carry.has_value()) {
            const accumulator left = carry.value();
            walk([&](const accumulator& a) { return algebra.combine(left, a); });
        } else {
            walk([](const accumulator& a) { return a; });
        }
        before = partial<accumulator>(running);
    }
};

} // namespace rankfold::host
