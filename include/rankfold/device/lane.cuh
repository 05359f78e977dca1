// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a lane does by itself with consecutive elements: fold them, or scan them behind what stands before.
// Sums of bytes are taken four at a time; places of extremes are counted from the lane's first element.
#pragma once

#include "rankfold/device/piece_algebra.cuh"

namespace rankfold::device {

/// Count consecutive elements x, of which the first has number `at`.
template <Algebra A, int Count>
struct lane_work {
    using accumulator = typename A::accumulator;
    using elements = lane_vector<typename A::input, Count>;
    using results = lane_vector<typename A::output, Count>;
    using prefixes = lane_vector<accumulator, Count>; ///< from scan to finish

    RANKFOLD_DEVICE static accumulator fold(const A& algebra, const elements& x, std::int64_t at)
    {
        accumulator all = algebra.lift(x.at[0].value, at);
        RANKFOLD_UNROLL
        for (int e = 1; e < Count; ++e) {
            all = algebra.combine(all, algebra.lift(x.at[e].value, at + e));
        }
        return all;
    }

    /// The lane by itself, inclusive: no result is rounded at the size of what stands before more than once.
    RANKFOLD_DEVICE static accumulator scan(const A& algebra, const elements& x, std::int64_t at,
                                            prefixes& upto)
    {
        upto.at[0].value = algebra.lift(x.at[0].value, at);
        RANKFOLD_UNROLL
        for (int e = 1; e < Count; ++e) {
            upto.at[e].value = algebra.combine(upto.at[e - 1].value, algebra.lift(x.at[e].value, at + e));
        }
        return upto.at[Count - 1].value;
    }

    /// The results behind `left`: inclusive, or exclusive with `left` first.
    template <bool Inclusive>
    RANKFOLD_DEVICE static void finish(const A& algebra, const elements& /*x*/, const accumulator& left,
                                       prefixes& upto, results& y)
    {
        RANKFOLD_UNROLL
        for (int e = 0; e < Count; ++e) {
            upto.at[e].value = algebra.combine(left, upto.at[e].value);
        }
        RANKFOLD_UNROLL
        for (int e = 0; e < Count; ++e) {
            y.at[e].value = algebra.lower(Inclusive ? upto.at[e].value
                                          : e > 0   ? upto.at[e > 0 ? e - 1 : 0].value
                                                    : left);
        }
    }
};

template <class In, class Acc, int Count>
concept summed_by_words = sizeof(In) == 1 && std::is_integral_v<Acc> && sizeof(Acc) >= 4 && Count % 4 == 0;

/// Sums of bytes: four bytes of a word are added by one instruction, those to the right of a result times 0.
/// What a lane owns fits into 32 bits.
template <class In, class Acc, class Out, int Count>
requires summed_by_words<In, Acc, Count>
struct lane_work<algebra<operator_id::sum, In, Acc, Out>, Count> {
    using sum = algebra<operator_id::sum, In, Acc, Out>;
    using elements = lane_vector<In, Count>;
    using results = lane_vector<Out, Count>;
    using narrow = std::conditional_t<std::is_signed_v<In>, std::int32_t, std::uint32_t>;
    struct prefixes {};

    RANKFOLD_DEVICE static Acc fold(const sum& /*algebra*/, const elements& x, std::int64_t /*at*/)
    {
        narrow all = 0;
        RANKFOLD_UNROLL
        for (int e = 0; e < Count; e += 4) {
            all = simt::add_bytes(all, word(x, e), 0b1111);
        }
        return static_cast<Acc>(all);
    }

    /// Sums of integers are exact, so that they are taken from `left` on by finish.
    RANKFOLD_DEVICE static Acc scan(const sum& algebra, const elements& x, std::int64_t at,
                                    prefixes& /*upto*/)
    {
        return fold(algebra, x, at);
    }

    template <bool Inclusive>
    RANKFOLD_DEVICE static void finish(const sum& algebra, const elements& x, Acc left, prefixes& /*upto*/,
                                       results& y)
    {
        RANKFOLD_UNROLL
        for (int e = 0; e < Count; e += 4) {
            RANKFOLD_UNROLL
            for (int b = 0; b < 4; ++b) {
                const int wanted = (1 << (Inclusive ? b + 1 : b)) - 1;
                y.at[e + b].value = algebra.lower(add(algebra, left, word(x, e), wanted));
            }
            left = add(algebra, left, word(x, e), 0b1111);
        }
    }

private:
    RANKFOLD_DEVICE static Acc add(const sum& algebra, Acc left, std::uint32_t word, int wanted)
    {
        if constexpr (sizeof(Acc) == sizeof(narrow)) {
            return static_cast<Acc>(simt::add_bytes(static_cast<narrow>(left), word, wanted));
        } else {
            return algebra.combine(left, static_cast<Acc>(simt::add_bytes(narrow{0}, word, wanted)));
        }
    }

    RANKFOLD_DEVICE static std::uint32_t word(const elements& x, int first)
    {
        std::uint32_t result = 0;
        memcpy(&result, reinterpret_cast<const unsigned char*>(&x) + first, sizeof result);
        return result;
    }
};

/// Places of extremes: of equal elements the first is kept, so that their places need not be compared.
template <Algebra A, int Count>
requires finds_places<A>
struct lane_work<A, Count> {
    using accumulator = typename A::accumulator;
    using elements = lane_vector<typename A::input, Count>;

    RANKFOLD_DEVICE static accumulator fold(const A& algebra, const elements& x, std::int64_t at)
    {
        accumulator best = algebra.lift(x.at[0].value, at);
        int place = 0;
        RANKFOLD_UNROLL
        for (int e = 1; e < Count; ++e) {
            const auto value = algebra.lift(x.at[e].value, at).value;
            const bool better = A::better(value, best.value);
            best.value = better ? value : best.value;
            place = better ? e : place;
        }
        best.index += place;
        return best;
    }
};

} // namespace rankfold::device
