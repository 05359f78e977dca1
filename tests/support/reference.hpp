// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The right answers: a serial fold over the whole global array, sharing nothing with the library. Every rank
// holds the whole array and computes them alone.
#pragma once

#include "rankfold/operators.hpp"
#include "rankfold/types.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace rankfold::test {

/// What an operator does to two results, and what an empty array gives. Written here a second time, on
/// purpose.
struct reference_sum {
    template <class T>
    T operator()(T l, T r) const
    {
        if constexpr (std::is_integral_v<T>) {
            return static_cast<T>(static_cast<std::uint64_t>(l) + static_cast<std::uint64_t>(r));
        } else {
            return l + r;
        }
    }
    template <class T>
    static T identity()
    {
        return T{};
    }
};

struct reference_max {
    template <class T>
    T operator()(T l, T r) const
    {
        return l < r ? r : l;
    }
    template <class T>
    static T identity()
    {
        return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                    : std::numeric_limits<T>::lowest();
    }
};

/// Maps x -> a x + b modulo 2^64, the left one applied first.
struct reference_affine {
    using map = affine_map<std::int64_t>;
    map operator()(map l, map r) const
    {
        const auto word = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
        return {static_cast<std::int64_t>(word(r.a) * word(l.a)),
                static_cast<std::int64_t>(word(r.a) * word(l.b) + word(r.b))};
    }
    template <class T>
    static T identity()
    {
        return {1, 0};
    }
};

/// Converts an input element to the result type, in which the reference folds.
template <class Out, class In>
Out widen(const In& x)
{
    return static_cast<Out>(x);
}

/// The folds of every prefix of a global array.
template <class Out>
struct prefix_folds {
    std::vector<Out> inclusive; ///< [i] is the fold of init, x_0 ... x_i
    std::vector<Out>
        exclusive; ///< [i] is the fold of init, x_0 ... x_{i-1}; without init [0] is the identity

    /// The fold of init and the first `count` elements.
    [[nodiscard]] Out total(std::int64_t count) const { return exclusive[static_cast<std::size_t>(count)]; }
};

template <class Out, class In, class Operator>
[[nodiscard]] prefix_folds<Out> reference_of(const std::vector<In>& global, const Operator& op,
                                             const std::optional<Out>& init = {})
{
    prefix_folds<Out> result;
    result.inclusive.reserve(global.size());
    result.exclusive.reserve(global.size() + 1);
    bool any = init.has_value();
    Out running = init.value_or(Operator::template identity<Out>());
    result.exclusive.push_back(running);
    for (const In& x : global) {
        running = any ? op(running, widen<Out>(x)) : widen<Out>(x);
        any = true;
        result.inclusive.push_back(running);
        result.exclusive.push_back(running);
    }
    return result;
}

/// The first extreme: the first NaN if there is one, else the lowest index among equals; index -1 in an empty
/// array.
template <bool Smallest, class T>
[[nodiscard]] located<T> reference_location(const std::vector<T>& global)
{
    const bool has_infinity = std::numeric_limits<T>::has_infinity;
    const T top = has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
    const T bottom = has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
    located<T> best{Smallest ? top : bottom, -1};
    for (std::size_t i = 0; i < global.size(); ++i) {
        const T x = global[i];
        if (x != x) {
            return {x, static_cast<std::int64_t>(i)};
        }
        if (best.index < 0 || (Smallest ? x < best.value : x > best.value)) {
            best = {x, static_cast<std::int64_t>(i)};
        }
    }
    return best;
}

} // namespace rankfold::test
