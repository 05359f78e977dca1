// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pieces whose folds are known in closed form, so that any element of a scan can be checked by itself:
//
//   at(i)                element number i
//   upto(n, with_init)   what the first n elements fold to, behind the init if there is one: result n of an
//                        exclusive scan, result n - 1 of an inclusive one
//   init()
#pragma once

#include "rankfold/permitted.hpp"
#include "support/interval.hpp"

namespace rankfold::test {

/// Whole numbers that repeat after 13, which divides no part of a tile, so that elements lost or taken twice
/// show: -6 to 6, whose sums are -8 to 0, exact in any type.
struct numbers {
    std::int64_t scale = 1;
    std::int64_t offset = 0;

    RANKFOLD_HOST_DEVICE constexpr std::int64_t at(std::int64_t i) const
    {
        return scale * ((5 * i + 3) % 13 - 6) + offset;
    }
    /// The sum of the first n.
    RANKFOLD_HOST_DEVICE constexpr std::int64_t sum(std::int64_t n) const
    {
        std::int64_t all = n / 13 * 13 * offset;
        for (std::int64_t i = n / 13 * 13; i < n; ++i) {
            all += at(i);
        }
        return all;
    }
};

/// A whole number as an element; integers wrap.
template <class T>
RANKFOLD_HOST_DEVICE constexpr T element_of_number(std::int64_t number)
{
    if constexpr (detail::is_complex<T>) {
        return {element_of_number<decltype(T::re)>(number), element_of_number<decltype(T::im)>(-2 * number)};
    } else if constexpr (detail::is_half<T>) {
        return T(static_cast<float>(number));
    } else {
        return static_cast<T>(number);
    }
}

template <class In, class Out = In>
struct sum_piece {
    using algebra = builtin_algebra<operator_id::sum, In, Out>;

    numbers of;

    static Out init() { return element_of_number<Out>(9); }
    RANKFOLD_HOST_DEVICE In at(std::int64_t i) const { return element_of_number<In>(of.at(i)); }
    RANKFOLD_HOST_DEVICE Out upto(std::int64_t n, bool with_init) const
    {
        return element_of_number<Out>((with_init ? 9 : 0) + of.sum(n));
    }
};

/// Maps that turn the sign, so that their order shows: x -> -x + b.
template <class T>
struct map_piece {
    using map = affine_map<T>;
    using algebra = builtin_algebra<operator_id::affine, map, map>;

    numbers of;

    static map init() { return {2, 7}; }
    RANKFOLD_HOST_DEVICE map at(std::int64_t i) const { return {T{-1}, static_cast<T>(sign(i) * of.at(i))}; }
    RANKFOLD_HOST_DEVICE map upto(std::int64_t n, bool with_init) const
    {
        return {static_cast<T>(sign(n) * (with_init ? 2 : 1)),
                static_cast<T>(sign(n) * ((with_init ? 7 : 0) - of.sum(n)))};
    }

private:
    RANKFOLD_HOST_DEVICE static std::int64_t sign(std::int64_t n) { return n % 2 == 0 ? 1 : -1; }
};

/// The interval monoid: element i is [i + 5, i + 6), the init ends where it begins.
template <class A>
struct interval_piece {
    using algebra = A;

    static typename A::output init() { return {2, 5}; }
    RANKFOLD_HOST_DEVICE typename A::input at(std::int64_t i) const
    {
        if constexpr (std::is_same_v<typename A::input, std::int64_t>) {
            return i + 5;
        } else {
            return {i + 5, i + 6};
        }
    }
    RANKFOLD_HOST_DEVICE typename A::output upto(std::int64_t n, bool with_init) const
    {
        return {with_init ? 2 : 5, n + 5};
    }
};

// Element i, or result i, of a piece: for loops over elements.
template <class Piece>
struct elements_of {
    Piece piece;
    __device__ typename Piece::algebra::input operator()(std::int64_t i) const { return piece.at(i); }
};
template <class Piece>
struct results_of {
    Piece piece;
    bool inclusive;
    bool with_init;
    __device__ typename Piece::algebra::output operator()(std::int64_t i) const
    {
        return piece.upto(i + inclusive, with_init);
    }
};

} // namespace rankfold::test
