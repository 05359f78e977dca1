// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The built-in operators on vectors of 16 bytes: lane by lane what rankfold/algebra.hpp says, in instructions
// that every x86-64 and Armv8 processor has.
#pragma once

#include "rankfold/host/scan_block.hpp"
#include "rankfold/permitted.hpp"

#include <cstddef>
#include <cstring>
#include <utility>

namespace rankfold::host::detail {

template <class T>
inline constexpr std::int64_t vector_width = 16 / sizeof(T);

template <std::size_t Bytes>
using unsigned_of =
    std::conditional_t<Bytes == 1, std::uint8_t,
                       std::conditional_t<Bytes == 2, std::uint16_t,
                                          std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

template <class T>
struct vector_types {
    using bits_lane = unsigned_of<sizeof(T)>;
    // Signed sums wrap: integers are added and multiplied without a sign.
    using modulo_lane = std::conditional_t<std::is_floating_point_v<T>, T, bits_lane>;
    using value [[gnu::vector_size(16)]] = T;
    using bits [[gnu::vector_size(16)]] = bits_lane;
    using modulo [[gnu::vector_size(16)]] = modulo_lane;
};
template <class T>
using vector_of = typename vector_types<T>::value;

/// Operators and accumulators that have a vector form.
template <operator_id Id, class Acc>
inline constexpr bool has_vector_operator =
    std::is_arithmetic_v<Acc>&& Id != operator_id::affine&& Id != operator_id::user &&
    !rankfold::detail::is_location<Id>;

/// True where an input element is an accumulator as it stands.
template <class A>
inline constexpr bool lifts_to_itself = false;
template <operator_id Id, class T, class Out>
inline constexpr bool lifts_to_itself<algebra<Id, T, T, Out>> = !rankfold::detail::is_logical<Id>;

// min and max still make NaN canonical.
template <operator_id Id, class In, class T>
inline constexpr bool lowers_to_itself<algebra<Id, In, T, T>> =
    !(rankfold::detail::is_extreme<Id> && std::is_floating_point_v<T>);

template <class T>
vector_of<T> load(const T* x)
{
    vector_of<T> v;
    std::memcpy(&v, x, sizeof v);
    return v;
}

template <class T>
void store(T* y, vector_of<T> v)
{
    std::memcpy(y, &v, sizeof v);
}

template <class T>
vector_of<T> broadcast(T value)
{
    vector_of<T> v;
    for (std::int64_t k = 0; k < vector_width<T>; ++k) {
        v[k] = value;
    }
    return v;
}

template <operator_id Id, class T>
vector_of<T> combine(vector_of<T> l, vector_of<T> r)
{
    using value = vector_of<T>;
    using bits = typename vector_types<T>::bits;
    using modulo = typename vector_types<T>::modulo;
    if constexpr (Id == operator_id::sum) {
        return (value)((modulo)l + (modulo)r);
    } else if constexpr (Id == operator_id::prod) {
        return (value)((modulo)l * (modulo)r);
    } else if constexpr (Id == operator_id::bit_and || Id == operator_id::logical_and) {
        return l & r;
    } else if constexpr (Id == operator_id::bit_or || Id == operator_id::logical_or) {
        return l | r;
    } else if constexpr (Id == operator_id::bit_xor) {
        return l ^ r;
    } else if constexpr (std::is_floating_point_v<T>) {
        // minimum and maximum of algebra.hpp: zeros by sign, NaN before all.
        const bool smallest = Id == operator_id::min;
        const value chosen = smallest ? (l < r ? l : r) : (l > r ? l : r);
        const value zeros = smallest ? (value)((bits)l | (bits)r) : (value)((bits)l & (bits)r);
        const value ordered = l == r ? zeros : chosen;
        return l != l ? l : ordered;
    } else {
        return Id == operator_id::min ? (l < r ? l : r) : (l > r ? l : r);
    }
}

/// Lane k >= Distance becomes lane[k - Distance] op lane[k]; the lower lanes stay. No identity comes in.
template <operator_id Id, class T, std::size_t Distance>
vector_of<T> combine_shifted(vector_of<T> v)
{
    constexpr int width = vector_width<T>;
    constexpr int distance = Distance;
    return [=]<int... K>(std::integer_sequence<int, K...>)
    {
        const vector_of<T> left =
            __builtin_shufflevector(vector_of<T>{}, v, (K < distance ? K : width + K - distance)...);
        return vector_of<T>(
            __builtin_shufflevector(v, combine<Id, T>(left, v), (K < distance ? K : width + K)...));
    }
    (std::make_integer_sequence<int, width>{});
}

template <class T>
vector_of<T> broadcast_last(vector_of<T> v)
{
    constexpr int last = vector_width<T> - 1;
    return [=]<int... K>(std::integer_sequence<int, K...>)
    {
        return vector_of<T>(__builtin_shufflevector(v, v, (K * 0 + last)...));
    }
    (std::make_integer_sequence<int, vector_width<T>>{});
}

} // namespace rankfold::host::detail
