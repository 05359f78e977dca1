// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Block reductions on vectors of 16 bytes, for built-in operators on arithmetic accumulators.
//
//   1. Eight vectors in registers take a row of elements each time: element i goes to lane i mod (8 * width).
//   2. The vectors are folded by halves, the lanes of the last one left to right.
//   3. Elements that fill no row follow one by one.
//
// Inputs that are no accumulators are lifted a tile at a time into the first-level cache first.
#pragma once

#include "rankfold/host/reduce_block.hpp"
#include "vector_operators.hpp"

namespace rankfold::host {
namespace detail {

template <class A, operator_id Id, class T>
T reduce_vectors(const A algebra, const T* x, std::int64_t count)
{
    constexpr std::int64_t width = vector_width<T>;
    constexpr int rows = 8;
    constexpr std::int64_t step = rows * width;
    T total = x[0];
    std::int64_t i = 1;
    if (count >= step) {
        vector_of<T> v[rows];
        for (int k = 0; k < rows; ++k) {
            v[k] = load<T>(x + k * width);
        }
        for (i = step; i + step <= count; i += step) {
            for (int k = 0; k < rows; ++k) {
                v[k] = combine<Id, T>(v[k], load<T>(x + i + k * width));
            }
        }
        for (int half = rows / 2; half > 0; half /= 2) {
            for (int k = 0; k < half; ++k) {
                v[k] = combine<Id, T>(v[k], v[k + half]);
            }
        }
        total = v[0][0];
        for (std::int64_t l = 1; l < width; ++l) {
            total = algebra.combine(total, v[0][l]);
        }
    }
    for (; i < count; ++i) {
        total = algebra.combine(total, x[i]);
    }
    return total;
}

} // namespace detail

template <operator_id Id, class In, class Acc, class Out>
requires detail::has_vector_operator<Id, Acc>
struct block_reduction<algebra<Id, In, Acc, Out>> {
    using A = algebra<Id, In, Acc, Out>;

    /// @see the general form.
    static Acc run(const A& algebra, const In* x, std::int64_t first, std::int64_t count)
    {
        if constexpr (detail::lifts_to_itself<A>) {
            return detail::reduce_vectors<A, Id, Acc>(algebra, x, count);
        } else {
            constexpr std::int64_t tile = tile_elements<Acc>;
            detail::uninitialized<Acc, tile> lifted;
            const auto reduce_tile = [&](std::int64_t begin) {
                const std::int64_t n = std::min(tile, count - begin);
                for (std::int64_t i = 0; i < n; ++i) {
                    lifted.values[i] = algebra.lift(x[begin + i], first + begin + i);
                }
                return detail::reduce_vectors<A, Id, Acc>(algebra, lifted.values, n);
            };
            Acc total = reduce_tile(0);
            for (std::int64_t begin = tile; begin < count; begin += tile) {
                total = algebra.combine(total, reduce_tile(begin));
            }
            return total;
        }
    }
};

} // namespace rankfold::host
