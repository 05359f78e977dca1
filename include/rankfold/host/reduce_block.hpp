// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The reduction of one block by one thread.
//
// Commutative operators: element i goes to lane i mod lanes; the lanes are folded by halves. The lanes live
// in the first-level cache, so that the loop over them vectorises for every operator, at every vector width,
// to the same bits. Ordered operators: the block is cut into strips, folded side by side and then left to
// right; the rest follows.
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
    }
    for (std::int64_t l = 0; row + l < count; ++l) {
        lane.values[l] = algebra.combine(lane.values[l], algebra.lift(x[row + l], first + row + l));
    }
    return fold_lanes(algebra, lane.values, used);
}

template <Algebra A>
typename A::accumulator reduce_ordered(const A algebra, const typename A::input* x, std::int64_t first,
                                       std::int64_t count)
{
    using accumulator = typename A::accumulator;
    const std::int64_t length = count / strips;
    uninitialized<accumulator, strips> strip;
    if (length == 0) {
        accumulator total = algebra.lift(x[0], first);
        for (std::int64_t i = 1; i < count; ++i) {
            total = algebra.combine(total, algebra.lift(x[i], first + i));
        }
        return total;
    }
    for (int s = 0; s < strips; ++s) {
        std::construct_at(&strip.values[s], algebra.lift(x[s * length], first + s * length));
    }
    for (std::int64_t i = 1; i < length; ++i) {
        for (int s = 0; s < strips; ++s) {
            const std::int64_t at = s * length + i;
            strip.values[s] = algebra.combine(strip.values[s], algebra.lift(x[at], first + at));
        }
    }
    accumulator total = strip.values[0];
    for (int s = 1; s < strips; ++s) {
        total = algebra.combine(total, strip.values[s]);
    }
    for (std::int64_t i = strips * length; i < count; ++i) {
        total = algebra.combine(total, algebra.lift(x[i], first + i));
    }
    return total;
}

} // namespace detail

/// Reduces `count` >= 1 elements at `x`; `first` is the index of x[0] in the piece.
template <Algebra A>
typename A::accumulator reduce_block(const A& algebra, const typename A::input* x, std::int64_t first,
                                     std::int64_t count)
{
    if constexpr (A::commutative) {
        return detail::reduce_permuted(algebra, x, first, count);
    } else {
        return detail::reduce_ordered(algebra, x, first, count);
    }
}

} // namespace rankfold::host
