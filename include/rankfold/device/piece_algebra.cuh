// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How elements are folded inside a piece, where that takes less than an accumulator that travels: a place
// needs no count of elements before its piece is sealed.
#pragma once

#include "rankfold/device/value.cuh"

namespace rankfold::device {

/// Most algebras fold pieces themselves.
template <Algebra A>
struct piece_algebra {
    using type = A;
    RANKFOLD_DEVICE static const A& of(const A& algebra) { return algebra; }
    RANKFOLD_DEVICE static typename A::accumulator seal(const A& algebra, const typename A::accumulator& fold,
                                                        std::int64_t count)
    {
        return algebra.seal(fold, count);
    }
};

/// Where an extreme of a piece stands: as A, without the count, which is 0 there.
template <class A>
struct place_algebra {
    using input = typename A::input;
    struct accumulator {
        decltype(A::accumulator::value) value;
        std::int64_t index;
    };
    using output = accumulator;
    static constexpr bool commutative = A::commutative;
    static constexpr bool has_identity = false;

    RANKFOLD_DEVICE accumulator lift(const input& x, std::int64_t index) const
    {
        return {A{}.lift(x, index).value, index};
    }
    RANKFOLD_DEVICE accumulator combine(const accumulator& l, const accumulator& r) const
    {
        const auto first = A{}.combine({l.value, l.index, 0}, {r.value, r.index, 0});
        return {first.value, first.index};
    }
    RANKFOLD_DEVICE accumulator seal(const accumulator& a, std::int64_t /*count*/) const { return a; }
    RANKFOLD_DEVICE accumulator lower(const accumulator& a) const { return a; }
    RANKFOLD_DEVICE accumulator raise(const accumulator& a) const { return a; }

    template <class T>
    RANKFOLD_DEVICE static bool better(T x, T y)
    {
        return A::better(x, y);
    }
};

/// The library's own searches for places, and what folds their pieces.
template <class A>
inline constexpr bool finds_places = false;
template <class In, class Acc>
inline constexpr bool finds_places<algebra<operator_id::min_loc, In, Acc, located<In>>> = true;
template <class In, class Acc>
inline constexpr bool finds_places<algebra<operator_id::max_loc, In, Acc, located<In>>> = true;
template <class A>
inline constexpr bool finds_places<place_algebra<A>> = true;

template <Algebra A>
requires finds_places<A>
struct piece_algebra<A> {
    static_assert(stamped_words<typename place_algebra<A>::accumulator> <=
                      stamped_words<typename A::accumulator>,
                  "a workspace has room for partials of A");
    using type = place_algebra<A>;
    RANKFOLD_DEVICE static type of(const A& /*algebra*/) { return {}; }
    RANKFOLD_DEVICE static typename A::accumulator
    seal(const A& algebra, const typename type::accumulator& fold, std::int64_t count)
    {
        return algebra.seal({fold.value, fold.index, 0}, count);
    }
};

} // namespace rankfold::device
