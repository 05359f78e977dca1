// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The interval monoid: element i is [i, i+1), adjacent intervals are joined, anything else is poison. A
// race-free scan that is right on it is right for every associative operator at that size.
#pragma once

#include "rankfold/algebra.hpp"

namespace rankfold::simt {

struct interval {
    std::int32_t begin;
    std::int32_t end;
    friend constexpr bool operator==(const interval&, const interval&) = default;
};

inline constexpr interval poison{-7, -9};
inline constexpr interval nothing{-1, -1}; ///< the identity, which nobody may fold in

struct interval_algebra {
    using input = std::int32_t;
    using accumulator = interval;
    using output = interval;
    static constexpr bool commutative = false;
    static constexpr bool has_identity = true;
    constexpr interval lift(std::int32_t x, std::int64_t /*index*/) const { return {x, x + 1}; }
    constexpr interval combine(interval l, interval r) const
    {
        return l.end == r.begin && l.begin >= 0 && r.begin >= 0 ? interval{l.begin, r.end} : poison;
    }
    constexpr interval seal(interval a, std::int64_t /*count*/) const { return a; }
    constexpr interval lower(interval a) const { return a; }
    constexpr interval raise(interval r) const { return r; }
    constexpr interval identity() const { return nothing; }
};
static_assert(Algebra<interval_algebra>);

} // namespace rankfold::simt
