// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of the table of built-in operations, and which of them are compiled.
#pragma once

#include "rankfold/device/operation.cuh"
#include "rankfold/permitted.hpp"

#include "tables.hpp"

#include <array>
#include <type_traits>

namespace rankfold::cuda {

/// Whether a row is compiled: in every build, or with RANKFOLD_FULL only.
inline constexpr bool always = true;
inline constexpr bool full = RANKFOLD_CUDA_FULL;

namespace detail {

template <class T>
struct without_sign {
    using type = T;
};
template <std::integral T>
struct without_sign<T> {
    using type = std::make_unsigned_t<T>;
};

/// True where the bits of the result are the same if the elements are taken as unsigned.
template <operator_id Id, class In, class Out>
inline constexpr bool ignores_sign = (rankfold::detail::is_additive<Id> && sizeof(In) == sizeof(Out)) ||
                                     rankfold::detail::is_bitwise<Id> || rankfold::detail::is_logical<Id>;

template <bool Ignored, class T>
using shared_type = std::conditional_t<Ignored, typename without_sign<T>::type, T>;
template <operator_id Id, class In, class Out>
using shared_algebra = builtin_algebra<Id, shared_type<ignores_sign<Id, In, Out>, In>,
                                       shared_type<ignores_sign<Id, In, Out>, Out>>;

template <Algebra A>
inline constexpr local_phases phases_of = device_phases<A>();

} // namespace detail

template <bool Compiled, operator_id Id, class In, class Out = In>
constexpr entry row()
{
    entry result{Id, element_type_of<In>, element_type_of<Out>, nullptr};
    if constexpr (Compiled) {
        result.phases = &detail::phases_of<detail::shared_algebra<Id, In, Out>>;
    }
    return result;
}

} // namespace rankfold::cuda
