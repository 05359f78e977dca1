// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The reduction of one block by one thread.
//
// Commutative operators: element i goes to lane i mod lanes; the lanes are folded by halves. The lanes live
// in the first-level cache, so that the loop over them vectorises for most operators, at every vector width
// to the same bits. Ordered operators: a run of elements is cut into strips, folded side by side and then
// left to right; runs follow each other.
#pragma once

#include "rankfold/algebra.hpp"
#include "rankfold/host/tuning.hpp"
#include "rankfold/host/uninitialized.hpp"

#include <algorithm>
#include <memory>

namespace rankfold::host {
namespace detail {

template <class T>
inline constexpr std::int64_t lanes = std::max<std::size_t>(lane_bytes / sizeof(T), 1);

/// Walking two rows at a time, as compilers like to, halves the rate: the prefetcher wants one stream.
inline void keep_rows_apart()
{
#if defined(__GNUC__)
    asm volatile("" ::: "memory");
#endif
}

template <Algebra A>
typename A::accumulator fold_lanes(const A algebra, typename A::accumulator* lane, std::int64_t width)
{
    while (width > 1) {
        const std::int64_t half = (width + 1) / 2;
        for (std::int64_t l = 0; l < width - half; ++l) {
            lane[l] = algebra.combine(lane[l], lane[l + half]);
        }
        width = half;
    }
    return lane[0];
}

template <Algebra A>
typename A::accumulator reduce_permuted(const A algebra, const typename A::input* x, std::int64_t first,
                                        std::int64_t count)
{
    using accumulator = typename A::accumulator;
    constexpr std::int64_t width = lanes<accumulator>;
    uninitialized<accumulator, width> lane;
    const std::int64_t used = std::min(width, count);
    for (std::int64_t l = 0; l < used; ++l) {
        std::construct_at(&lane.values[l], algebra.lift(x[l], first + l));
    }
    std::int64_t row = width;
    for (; row + width <= count; row += width) {
        for (std::int64_t l = 0; l < width; ++l) {
            lane.values[l] = algebra.combine(lane.values[l], algebra.lift(x[row + l], first + row + l));
        }
        keep_rows_apart();
    }
    for (std::int64_t l = 0; row + l < count; ++l) {
        lane.values[l] = algebra.combine(lane.values[l], algebra.lift(x[row + l], first + row + l));
    }
    return fold_lanes(algebra, lane.values, used);
}

/// Folds `strips` strips of `strip_elements` elements.
template <Algebra A>
typename A::accumulator reduce_run(const A algebra, const typename A::input* x, std::int64_t first)
{
    using accumulator = typename A::accumulator;
    uninitialized<accumulator, strips> strip;
    for (std::int64_t s = 0; s < strips; ++s) {
        std::construct_at(&strip.values[s], algebra.lift(x[s * strip_elements], first + s * strip_elements));
    }
    for (std::int64_t i = 1; i < strip_elements; ++i) {
        for (std::int64_t s = 0; s < strips; ++s) {
            const std::int64_t at = s * strip_elements + i;
            strip.values[s] = algebra.combine(strip.values[s], algebra.lift(x[at], first + at));
        }
    }
    accumulator total = strip.values[0];
    for (std::int64_t s = 1; s < strips; ++s) {
        total = algebra.combine(total, strip.values[s]);
    }
    return total;
}

template <Algebra A>
typename A::accumulator reduce_ordered(const A algebra, const typename A::input* x, std::int64_t first,
                                       std::int64_t count)
{
    using accumulator = typename A::accumulator;
    constexpr std::int64_t run = strips * strip_elements;
    std::int64_t i = count < run ? 1 : run;
    accumulator total = count < run ? algebra.lift(x[0], first) : reduce_run(algebra, x, first);
    for (; i + run <= count; i += run) {
        total = algebra.combine(total, reduce_run(algebra, x + i, first + i));
    }
    for (; i < count; ++i) {
        total = algebra.combine(total, algebra.lift(x[i], first + i));
    }
    return total;
}

} // namespace detail

/// The reduction of one block. The library has specialisations that work on vectors.
template <Algebra A>
struct block_reduction {
    /// Reduces `count` >= 1 elements at `x`; `first` is the index of x[0] in the piece.
    static typename A::accumulator run(const A& algebra, const typename A::input* x, std::int64_t first,
                                       std::int64_t count)
    {
        if constexpr (A::commutative) {
            return detail::reduce_permuted(algebra, x, first, count);
        } else {
            return detail::reduce_ordered(algebra, x, first, count);
        }
    }
};

/// @see block_reduction
template <Algebra A>
typename A::accumulator reduce_block(const A& algebra, const typename A::input* x, std::int64_t first,
                                     std::int64_t count)
{
    return block_reduction<A>::run(algebra, x, first, count);
}

} // namespace rankfold::host
