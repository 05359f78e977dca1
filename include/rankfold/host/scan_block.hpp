// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The scan of one block by one thread, with what stands before it.
//
//   1. Inclusive prefixes of a tile of the block, as accumulators, into a buffer in the first-level cache, or
//      where accumulators are results and the processor can, straight to memory.
//   2. The buffer goes out as results, for an exclusive scan moved by one element.
#pragma once

#include "rankfold/host/prefix.hpp"
#include "rankfold/host/stream.hpp"
#include "rankfold/host/tuning.hpp"
#include "rankfold/host/uninitialized.hpp"

#include <algorithm>

namespace rankfold::host {

/// What a scan writes, and how.
struct scan_mode {
    bool inclusive;
    bool past_cache; ///< results go straight to memory
};

namespace detail {

/// True where an accumulator is the result as it stands.
template <Algebra A>
inline constexpr bool lowers_to_itself = false;

template <Algebra A>
void write_results(const A& algebra, const typename A::accumulator* a, std::int64_t count,
                   typename A::output* y, bool past_cache)
{
    if constexpr (lowers_to_itself<A>) {
        copy_out(y, a, static_cast<std::size_t>(count) * sizeof(*a), past_cache);
    } else {
        for (std::int64_t i = 0; i < count; ++i) {
            y[i] = algebra.lower(a[i]);
        }
    }
}

/// A tile of accumulators at the start of a cache line, and room for one more before it.
template <class T>
class tile_buffer {
public:
    [[nodiscard]] T* values() { return room_.values + before; }

private:
    static constexpr std::size_t before = sizeof(T) < 64 ? 64 / sizeof(T) : 1;
    alignas(64) uninitialized<T, before + tile_elements<T>> room_;
};

} // namespace detail

/// Scans `count` >= 1 elements at `x` into `y` (== x or disjoint); `first` is the index of x[0] in the piece.
template <Algebra A>
void scan_block(const A& algebra, const typename A::input* x, typename A::output* y, std::int64_t first,
                std::int64_t count, const partial<typename A::accumulator>& carry, scan_mode mode)
{
    using accumulator = typename A::accumulator;
    constexpr std::int64_t tile = tile_elements<accumulator>;
    detail::tile_buffer<accumulator> buffer;
    accumulator* const values = buffer.values();
    accumulator* const shifted = values - 1;
    partial<accumulator> before;
    const bool direct = mode.inclusive && mode.past_cache && prefix<A>::writes_past_cache(y);
    for (std::int64_t begin = 0; begin < count; begin += tile) {
        const std::int64_t n = std::min(tile, count - begin);
        if constexpr (std::is_same_v<accumulator, typename A::output>) {
            prefix<A>::scan(algebra, x + begin, first + begin, n, carry, before, direct ? y + begin : values,
                            direct);
        } else {
            prefix<A>::scan(algebra, x + begin, first + begin, n, carry, before, values, false);
        }
        if (direct) {
            continue;
        }
        if (mode.inclusive) {
            detail::write_results(algebra, values, n, y + begin, mode.past_cache);
            continue;
        }
        if (begin == 0) {
            if (carry.has_value()) {
                std::construct_at(shifted, carry.value());
            } else if constexpr (A::has_identity) {
                std::construct_at(shifted, algebra.identity());
            } else { // refused when a plan is made
                std::construct_at(shifted, values[0]);
            }
        }
        const accumulator last = values[n - 1];
        detail::write_results(algebra, shifted, n, y + begin, mode.past_cache);
        std::construct_at(shifted, last);
    }
    if (mode.past_cache) {
        finish_past_cache();
    }
}

} // namespace rankfold::host
