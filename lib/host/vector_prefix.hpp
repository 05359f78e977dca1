// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prefixes on vectors of 16 bytes, for built-in operators on arithmetic accumulators.
//
//   1. Inside a vector: log2(width) steps of shift and combine (Hillis and Steele 1986).
//   2. Two vectors are joined, then with what stands before them: one combine per two vectors is serial.
//   3. The carry of the block is joined, off the chain.
//
// The width is part of the grouping, hence of the result's bits: it does not follow the machine's.
#pragma once

#include "vector_operators.hpp"
#include "wide_sum.hpp"

namespace rankfold::host {
namespace detail {

template <operator_id Id, class T>
struct vector_prefix {
    using vector = vector_of<T>;
    static constexpr std::int64_t width = vector_width<T>;

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

    /// Whole pairs of vectors; returns the number of elements done. `carry` may be null.
    static std::int64_t scan_pairs(const T* x, std::int64_t count, const T* carry, T& before, T* y,
                                   bool past_cache)
    {
        if constexpr (has_wide_form<Id, T>) {
            if (has_wide_vectors) {
                return scan_pairs_wide(x, count, carry, before, y, past_cache);
            }
        }
        return carry ? scan_pairs<true>(x, count, *carry, before, y)
                     : scan_pairs<false>(x, count, T{}, before, y);
    }

    template <bool HasCarry>
    static std::int64_t scan_pairs(const T* x, std::int64_t count, T carry, T& before, T* y)
    {
        const vector left = broadcast<T>(carry);
        vector running = broadcast<T>(before);
        std::int64_t i = 0;
        for (; i + 2 * width <= count; i += 2 * width) {
            const vector low = within(load<T>(x + i));
            const vector high = combine<Id, T>(broadcast_last<T>(low), within(load<T>(x + i + width)));
            const vector low_done = combine<Id, T>(running, low);
            const vector high_done = combine<Id, T>(running, high);
            running = combine<Id, T>(running, broadcast_last<T>(high));
            store<T>(y + i, HasCarry ? combine<Id, T>(left, low_done) : low_done);
            store<T>(y + i + width, HasCarry ? combine<Id, T>(left, high_done) : high_done);
        }
        before = running[0];
        return i;
    }
};

} // namespace detail

template <operator_id Id, class In, class Acc, class Out>
requires detail::has_vector_operator<Id, Acc>
struct prefix<algebra<Id, In, Acc, Out>> {
    using A = algebra<Id, In, Acc, Out>;
    using vectors = detail::vector_prefix<Id, Acc>;

    static bool writes_past_cache(const Out* y)
    {
        return detail::lowers_to_itself<A> && detail::has_wide_form<Id, Acc> && detail::has_wide_vectors &&
               reinterpret_cast<std::uintptr_t>(y) % 32 == 0;
    }

    /// @see the general form.
    static void scan(const A algebra, const In* x, std::int64_t first, std::int64_t count,
                     const partial<Acc>& carry, partial<Acc>& before, Acc* y, bool past_cache)
    {
        const Acc* lifted = y;
        if constexpr (detail::lifts_to_itself<A>) {
            lifted = x;
        } else {
            for (std::int64_t i = 0; i < count; ++i) {
                y[i] = algebra.lift(x[i], first + i);
            }
        }
        const auto join = [&](Acc a) { return carry.has_value() ? algebra.combine(carry.value(), a) : a; };
        std::int64_t i = 0;
        Acc running = lifted[0];
        const auto walk = [&](std::int64_t end) {
            for (; i < end; ++i) {
                running = algebra.combine(running, lifted[i]);
                y[i] = join(running);
            }
        };
        if (before.has_value()) {
            running = before.value();
        } else { // the start of the block: one pair, so that the rest stays aligned
            y[0] = join(running);
            i = 1;
            walk(std::min(2 * vectors::width, count));
        }
        const Acc* left = carry.has_value() ? &carry.value() : nullptr;
        i += vectors::scan_pairs(lifted + i, count - i, left, running, y + i, past_cache);
        walk(count);
        before = partial<Acc>(running);
    }
};

} // namespace rankfold::host
