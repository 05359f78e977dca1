// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The interval monoid: elements are intervals [i, i+1), the operator joins adjacent intervals and poisons
// anything else. A scan that is right on it is right for every associative operator at that size. There is no
// identity: a library that folds one in, or that makes a value by default, is found out.
#pragma once

#include "rankfold/config.hpp"

#include <cstdint>

namespace rankfold::test {

/// [begin, end); poisoned where anything but neighbours, in order, was joined.
struct interval {
    std::int64_t begin;
    std::int64_t end;
    bool poisoned; ///< followed by padding

    RANKFOLD_HOST_DEVICE constexpr interval(std::int64_t b, std::int64_t e, bool p = false)
        : begin(b), end(e), poisoned(p)
    {
    }
    friend RANKFOLD_HOST_DEVICE constexpr bool operator==(const interval&, const interval&) = default;
};
static_assert(sizeof(interval) == 24);

/// Lifts the global index stored as an element; `offset` moves all of them.
struct interval_algebra {
    using input = std::int64_t;
    using accumulator = interval;
    using output = interval;
    static constexpr bool commutative = false;
    static constexpr bool has_identity = false;

    std::int64_t offset = 0;

    RANKFOLD_HOST_DEVICE constexpr interval lift(std::int64_t x, std::int64_t /*index*/) const
    {
        return {x + offset, x + offset + 1};
    }
    RANKFOLD_HOST_DEVICE constexpr interval combine(interval l, interval r) const
    {
        return {l.begin, r.end, l.poisoned || r.poisoned || l.end != r.begin};
    }
    RANKFOLD_HOST_DEVICE constexpr interval seal(interval a, std::int64_t count) const
    {
        return {a.begin, a.end, a.poisoned || a.end - a.begin != count};
    }
    RANKFOLD_HOST_DEVICE constexpr interval lower(interval a) const { return a; }
    RANKFOLD_HOST_DEVICE constexpr interval raise(interval r) const { return r; }
};

} // namespace rankfold::test
