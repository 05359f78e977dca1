// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prefixes on vectors of 16 bytes, for built-in operators on arithmetic accumulators.
//
//   1. Inside a vector: log2(width) steps of shift and combine (Hillis and Steele 1986).
//   2. Two vectors are joined, then with what stands before them: one combine per two vectors is on the
//   chain.
//   3. The carry of the block is joined, off the chain.
//
// The width is part of the grouping, hence of the result's bits: it does not follow the machine's.
#pragma once

#include "rankfold/host/scan_block.hpp"
#include "vector_operators.hpp"

#include <cstring>

namespace rankfold::host {
namespace detail {

template <operator_id Id, class T>
struct vector_prefix {
    using vector = vector_of<T>;
    static constexpr std::int64_t width = vector_width<T>;

    static vector load(const T* x)
    {
        vector v;
        std::memcpy(&v, x, sizeof v);
        return v;
    }
    static void store(T* y, vector v) { std::memcpy(y, &v, sizeof v); }

    /// Prefixes inside one vector.
    template <std::size_t Distance = 1>
    static vector within(vector v)
    {
        if constexpr (Distance < width) {
            return within<2 * Distance>(combine_shifted<Id, T, Distance>(v));
        } else {
            return v;
        }
    }

    /// Whole pairs of vectors; returns the number of elements done.
    template <bool HasCarry>
    static std::int64_t scan_pairs(const T* x, std::int64_t count, T carry, T& before, T* y)
    {
        const vector left = broadcast(carry);
        vector running = broadcast(before);
        std::int64_t i = 0;
        for (; i + 2 * width <= count; i += 2 * width) {
            const vector low = within(load(x + i));
            const vector high = combine<Id, T>(broadcast_last<T>(low), within(load(x + i + width)));
            const vector low_done = combine<Id, T>(running, low);
            const vector high_done = combine<Id, T>(running, high);
            running = combine<Id, T>(running, broadcast_last<T>(high));
            store(y + i, HasCarry ? combine<Id, T>(left, low_done) : low_done);
            store(y + i + width, HasCarry ? combine<Id, T>(left, high_done) : high_done);
        }
        before = running[0];
        return i;
    }

private:
    static vector broadcast(T value)
    {
        vector v;
        for (std::int64_t k = 0; k < width; ++k) {
            v[k] = value;
        }
        return v;
    }
};

/// min and max still make NaN canonical.
template <operator_id Id, class In, class Acc, class Out>
inline constexpr bool lowers_to_itself<algebra<Id, In, Acc, Out>> =
    std::is_same_v<Acc, Out> && !(rankfold::detail::is_extreme<Id> && std::is_floating_point_v<Acc>);

} // namespace detail

template <operator_id Id, class In, class Acc, class Out>
requires detail::has_vector_operator<Id, Acc>
struct prefix<algebra<Id, In, Acc, Out>> {
    using A = algebra<Id, In, Acc, Out>;
    using vectors = detail::vector_prefix<Id, Acc>;

    /// @see the general form.
    static void scan(const A algebra, const In* x, std::int64_t first, std::int64_t count,
                     const partial<Acc>& carry, partial<Acc>& before, Acc* y)
    {
        const Acc* lifted = y;
        if constexpr (std::is_same_v<In, Acc> && !rankfold::detail::is_logical<Id>) {
            lifted = x;
        } else {
            for (std::int64_t i = 0; i < count; ++i) {
                y[i] = algebra.lift(x[i], first + i);
            }
        }
        const auto join = [&](Acc a) { return carry.has_value() ? algebra.combine(carry.value(), a) : a; };
        std::int64_t i = 0;
        Acc running{};
        if (before.has_value()) {
            running = before.value();
        } else { // the first element of the block
            running = lifted[0];
            y[0] = join(running);
            i = 1;
        }
        i += carry.has_value()
                 ? vectors::template scan_pairs<true>(lifted + i, count - i, carry.value(), running, y + i)
                 : vectors::template scan_pairs<false>(lifted + i, count - i, Acc{}, running, y + i);
        for (; i < count; ++i) {
            running = algebra.combine(running, lifted[i]);
            y[i] = join(running);
        }
        before = partial<Acc>(running);
    }
};

} // namespace rankfold::host
