// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The table of permitted (operator, input, result) and the accumulator that each computes in. Anything else
// does not compile in C++ and is a usage error in C.
//
// clang-format off
//   operator                input              result                          accumulator
//   sum prod                integer            same signedness, same or wider  the result, at least 32 bits
//                                                                              (modulo 2^bits, as if in 64)
//                           float16 bfloat16   same, float32                   float32
//                           float32            float32, float64                the result
//                           float64            float64                         float64
//                           complex64          complex64, complex128           the result
//                           complex128         complex128                      complex128
//   min max                 integer, floating  same                            same; float32 for 16-bit types
//   bit_and bit_or bit_xor  integer            same                            same
//   logical_and logical_or  integer            same, 0 or 1                    same
//   affine                  affine_map         same                            same; not commutative
//   min_loc max_loc         integer, floating  located                         value, index, count; no scans
//
//   integer: signed and unsigned of 8 to 64 bits, by every name (long long too); not bool, char, wchar_t, charN_t, __int128
//   floating: float16 bfloat16 float32 float64; not long double
// clang-format on
#pragma once

#include "rankfold/algebra.hpp"

namespace rankfold {
namespace detail {

template <operator_id Id>
inline constexpr bool is_additive = Id == operator_id::sum || Id == operator_id::prod;
template <operator_id Id>
inline constexpr bool is_extreme = Id == operator_id::min || Id == operator_id::max;
template <operator_id Id>
inline constexpr bool is_bitwise =
    Id == operator_id::bit_and || Id == operator_id::bit_or || Id == operator_id::bit_xor;
template <operator_id Id>
inline constexpr bool is_logical = Id == operator_id::logical_and || Id == operator_id::logical_or;
template <operator_id Id>
inline constexpr bool is_location = Id == operator_id::min_loc || Id == operator_id::max_loc;

template <operator_id Id, class In, class Out>
constexpr bool is_permitted()
{
    constexpr bool same = std::is_same_v<In, Out>;
    if constexpr (is_additive<Id>) {
        if constexpr (is_integer<In> && is_integer<Out>) {
            return std::is_signed_v<In> == std::is_signed_v<Out> && sizeof(Out) >= sizeof(In);
        } else if constexpr (is_half<In>) {
            return same || std::is_same_v<Out, float>;
        } else if constexpr (is_floating<In>) {
            return same || (std::is_same_v<Out, double> && std::is_same_v<In, float>);
        } else if constexpr (is_complex<In>) {
            return same || (std::is_same_v<Out, complex<double>> && std::is_same_v<In, complex<float>>);
        } else {
            return false;
        }
    } else if constexpr (is_extreme<Id>) {
        return same && (is_integer<In> || is_floating<In>);
    } else if constexpr (is_bitwise<Id> || is_logical<Id>) {
        return same && is_integer<In>;
    } else if constexpr (is_location<Id>) {
        return std::is_same_v<Out, located<In>> && (is_integer<In> || is_floating<In>);
    } else {
        return Id == operator_id::affine && same && is_affine<In>;
    }
}

template <operator_id Id, class In, class Out>
constexpr auto accumulator_of()
{
    if constexpr (is_additive<Id> && is_integer<In>) {
        if constexpr (sizeof(Out) >= 4) {
            return std::type_identity<Out>{};
        } else {
            return std::type_identity<
                std::conditional_t<std::is_signed_v<Out>, std::int32_t, std::uint32_t>>{};
        }
    } else if constexpr (is_half<In>) {
        return std::type_identity<float>{};
    } else if constexpr (is_location<Id>) {
        return std::type_identity<In>{};
    } else {
        return std::type_identity<Out>{};
    }
}

} // namespace detail

/// True where the built-in operator Id reduces or scans In into Out (kernel types).
template <operator_id Id, class In, class Out>
inline constexpr bool
    permitted = detail::is_permitted<Id, In, Out>() && element_type_of<In> != element_type::user;

/// The algebra of a permitted triple.
template <operator_id Id, class In, class Out>
requires permitted<Id, In, Out>
using builtin_algebra = algebra<Id, In, typename decltype(detail::accumulator_of<Id, In, Out>())::type, Out>;

} // namespace rankfold
