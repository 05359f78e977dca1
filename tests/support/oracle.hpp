// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The serial oracle: what a reduction and a scan of a whole array are, by the definition and nothing else.
#pragma once

#include "rankfold/algebra.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankfold::oracle {

/// The result of reducing `x` from left to right, with init at the left end; nothing where there is none.
template <Algebra A>
std::optional<typename A::output> reduce(const A& algebra, std::span<const typename A::input> x,
                                         std::optional<typename A::output> init = {})
{
    if (x.empty()) {
        if (init) {
            return algebra.lower(algebra.raise(*init));
        }
        if constexpr (A::has_identity) {
            return algebra.lower(algebra.identity());
        }
        return std::nullopt;
    }
    typename A::accumulator total = algebra.lift(x[0], 0);
    for (std::size_t i = 1; i < x.size(); ++i) {
        total = algebra.combine(total, algebra.lift(x[i], static_cast<std::int64_t>(i)));
    }
    total = algebra.seal(total, static_cast<std::int64_t>(x.size()));
    return algebra.lower(init ? algebra.combine(algebra.raise(*init), total) : total);
}

/// The inclusive or exclusive scan of `x` from left to right, with init at the left end. An exclusive one
/// with neither init nor identity is not defined.
template <Algebra A>
std::vector<typename A::output> scan(const A& algebra, std::span<const typename A::input> x, bool inclusive,
                                     std::optional<typename A::output> init = {})
{
    std::vector<typename A::output> result;
    if (x.empty()) {
        return result;
    }
    result.reserve(x.size());
    typename A::accumulator running = algebra.lift(x[0], 0);
    if (init) {
        running = algebra.combine(algebra.raise(*init), running);
    }
    if (!inclusive) {
        result.push_back(*reduce(algebra, x.first(0), init));
    }
    for (std::size_t i = 1; i < x.size(); ++i) {
        result.push_back(algebra.lower(running));
        running = algebra.combine(running, algebra.lift(x[i], static_cast<std::int64_t>(i)));
    }
    if (inclusive) {
        result.push_back(algebra.lower(running));
    }
    return result;
}

} // namespace rankfold::oracle
