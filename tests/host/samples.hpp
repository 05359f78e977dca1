// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Inputs whose floating results are exact in any grouping, and the comparison of results.
#pragma once

#include "rankfold/permitted.hpp"

#include <cstdint>
#include <random>
#include <vector>

namespace rankfold::test {

/// One element for operator Id: integers of all bits; floating sums of small integers, products of units.
template <operator_id Id, class T>
T sample(std::mt19937_64& random)
{
    const auto bits = random();
    const auto small = [&](unsigned shift) { return static_cast<int>(bits >> shift & 7) - 3; };
    const auto sign = [&](unsigned shift) { return (bits >> shift & 1) ? 1 : -1; };
    if constexpr (rankfold::detail::is_affine<T>) {
        using value = decltype(T::a);
        return {static_cast<value>(sign(0)), static_cast<value>(small(1))};
    } else if constexpr (rankfold::detail::is_complex<T>) {
        using value = decltype(T::re);
        if constexpr (Id == operator_id::prod) {
            return (bits & 2) ? T{static_cast<value>(sign(0)), 0} : T{0, static_cast<value>(sign(0))};
        } else {
            return {static_cast<value>(small(0)), static_cast<value>(small(3))};
        }
    } else if constexpr (rankfold::detail::is_integer<T>) {
        return (bits >> 60) == 0 ? T{0} : static_cast<T>(bits);
    } else {
        return static_cast<T>(static_cast<float>(Id == operator_id::prod ? sign(0) : small(0)));
    }
}

template <operator_id Id, class T>
std::vector<T> samples(std::int64_t count, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::vector<T> x;
    x.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        x.push_back(sample<Id, T>(random));
    }
    return x;
}

/// Equal as values: zeros of either sign are equal.
template <class T>
bool same_value(const T& a, const T& b)
{
    if constexpr (rankfold::detail::is_half<T>) {
        return static_cast<float>(a) == static_cast<float>(b);
    } else if constexpr (requires { a.index; }) {
        return same_value(a.value, b.value) && a.index == b.index;
    } else {
        return a == b;
    }
}

/// The first index at which two arrays differ, or -1.
template <class T>
std::int64_t first_difference(const T* a, const T* b, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i) {
        if (!same_value(a[i], b[i])) {
            return i;
        }
    }
    return -1;
}

} // namespace rankfold::test
