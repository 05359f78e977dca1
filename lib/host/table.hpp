// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the source files of this folder list what they compile: one file per operator or family, one entry per
// triple.
#pragma once

#include "rankfold/host/operation.hpp"
#include "rankfold/permitted.hpp"
#include "vector_prefix.hpp"
#include "vector_reduce.hpp"

#include <array>
#include <span>
#include <tuple>

namespace rankfold::host {

/// One permitted triple.
struct builtin_entry {
    operator_id op;
    element_type in;
    element_type out;
    const local_phases* phases;
    operation (*describe)();
};

using entries = std::span<const builtin_entry>;

// One function per operator, each source file defines one or a family.
entries sum_entries();
entries prod_entries();
entries min_entries();
entries max_entries();
entries bit_and_entries();
entries bit_or_entries();
entries bit_xor_entries();
entries logical_and_entries();
entries logical_or_entries();
entries affine_entries();
entries min_loc_entries();
entries max_loc_entries();

namespace detail {

using element_list =
    std::tuple<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
               std::uint32_t, std::uint64_t, float16, bfloat16, float, double, complex<float>,
               complex<double>, affine_map<std::int64_t>, affine_map<float>, affine_map<double>>;
inline constexpr std::size_t element_count = std::tuple_size_v<element_list>;

template <class T>
struct without_sign {
    using type = T;
};
template <class T>
requires rankfold::detail::is_integer<T>
struct without_sign<T> {
    using type = std::make_unsigned_t<T>;
};
template <class T>
using without_sign_t = typename without_sign<T>::type;

/// The algebra that computes a triple: signed and unsigned integers share code where the bits are the same.
template <operator_id Id, class In, class Out>
constexpr auto computing_algebra()
{
    constexpr bool no_matter = rankfold::detail::is_additive<Id> || rankfold::detail::is_bitwise<Id> ||
                               rankfold::detail::is_logical<Id>;
    if constexpr (no_matter && std::is_same_v<In, Out>) {
        return builtin_algebra<Id, without_sign_t<In>, without_sign_t<Out>>{};
    } else {
        return builtin_algebra<Id, In, Out>{};
    }
}

template <operator_id Id, class In, class Out>
inline constexpr local_phases
    phases_of = host_phases<decltype(computing_algebra<Id, In, Out>()), !rankfold::detail::is_location<Id>>();

template <operator_id Id, class In, class Out>
operation describe()
{
    operation result = describe_operation(builtin_algebra<Id, In, Out>{}, Id);
    result.host = phases_of<Id, In, Out>;
    result.has_exact_form =
        Id == operator_id::sum && (rankfold::detail::is_floating<In> || rankfold::detail::is_complex<In>);
    return result;
}

/// Out by its place in the list; for min_loc and max_loc the located input, once.
template <operator_id Id, class In, std::size_t O>
using result_t = std::conditional_t<rankfold::detail::is_location<Id> && O == 0, located<In>,
                                    std::tuple_element_t<O, element_list>>;

template <operator_id Id, std::size_t I, std::size_t... O>
constexpr std::size_t count_row(std::index_sequence<O...>)
{
    using in = std::tuple_element_t<I, element_list>;
    return (... + std::size_t{permitted<Id, in, result_t<Id, in, O>>});
}

template <operator_id Id, class In, class Out>
constexpr void add_entry(builtin_entry*& next)
{
    if constexpr (permitted<Id, In, Out>) {
        *next++ = {Id, element_type_of<In>, element_type_of<Out>, &phases_of<Id, In, Out>,
                   describe<Id, In, Out>};
    }
}

template <operator_id Id, std::size_t I, std::size_t... O>
constexpr void add_row(builtin_entry*& next, std::index_sequence<O...>)
{
    using in = std::tuple_element_t<I, element_list>;
    (add_entry<Id, in, result_t<Id, in, O>>(next), ...);
}

template <operator_id Id, std::size_t... I>
constexpr auto list_entries(std::index_sequence<I...> all)
{
    std::array<builtin_entry, (... + count_row<Id, I>(all))> list{};
    builtin_entry* next = list.data();
    (add_row<Id, I>(next, all), ...);
    return list;
}

} // namespace detail

/// Every permitted triple of one operator.
template <operator_id Id>
inline constexpr auto
    entries_of = detail::list_entries<Id>(std::make_index_sequence<detail::element_count>{});

} // namespace rankfold::host
