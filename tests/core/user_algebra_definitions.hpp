// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The algebras behind the operations of user_algebras.hpp, for both backends.
#pragma once

#include "core/user_algebras.hpp"
#include "rankfold/algebra.hpp"

namespace rankfold::test {

/// What an algebra of plain values brings along; without an identity.
template <class T>
struct plain_algebra {
    using input = T;
    using accumulator = T;
    using output = T;
    static constexpr bool commutative = false;
    static constexpr bool has_identity = false;
    RANKFOLD_HOST_DEVICE T lift(T x, std::int64_t /*index*/) const { return x; }
    RANKFOLD_HOST_DEVICE T seal(T a, std::int64_t /*count*/) const { return a; }
    RANKFOLD_HOST_DEVICE T lower(T a) const { return a; }
    RANKFOLD_HOST_DEVICE T raise(T r) const { return r; }
};

struct defaulted_sum : plain_algebra<defaulted_to_nan> {
    RANKFOLD_HOST_DEVICE defaulted_to_nan combine(defaulted_to_nan l, defaulted_to_nan r) const
    {
        return {l.value + r.value};
    }
};

template <std::size_t N>
struct shorts_sum : plain_algebra<shorts<N>> {
    static constexpr bool commutative = true;
    RANKFOLD_HOST_DEVICE shorts<N> combine(shorts<N> l, shorts<N> r) const
    {
        for (std::size_t i = 0; i < N; ++i) {
            l.v[i] = static_cast<std::int16_t>(l.v[i] + r.v[i]);
        }
        return l;
    }
};

struct decimal_join {
    using input = std::int64_t;
    using accumulator = decimal;
    using output = decimal;
    static constexpr bool commutative = false;
    static constexpr bool has_identity = true;
    RANKFOLD_HOST_DEVICE decimal lift(std::int64_t x, std::int64_t /*index*/) const { return {x, 10}; }
    RANKFOLD_HOST_DEVICE decimal combine(decimal l, decimal r) const
    {
        return {l.value * r.power + r.value, l.power * r.power};
    }
    RANKFOLD_HOST_DEVICE decimal seal(decimal a, std::int64_t /*count*/) const { return a; }
    RANKFOLD_HOST_DEVICE decimal lower(decimal a) const { return a; }
    RANKFOLD_HOST_DEVICE decimal raise(decimal r) const { return r; }
    RANKFOLD_HOST_DEVICE decimal identity() const { return {0, 1}; }
};

struct log_add_exp : plain_algebra<double> {
    RANKFOLD_HOST_DEVICE double combine(double l, double r) const
    {
        const double high = std::fmax(l, r);
        return std::isinf(high) ? high : high + std::log1p(std::exp(std::fmin(l, r) - high));
    }
};

/// With a state, wide accumulators of narrow elements, and members named as in the library's own searches.
struct nearest {
    struct accumulator {
        double value; ///< distance
        std::int64_t index;
        double element;
    };
    using input = double;
    using output = double;
    static constexpr bool commutative = false;
    static constexpr bool has_identity = false;

    double target = 0;

    RANKFOLD_HOST_DEVICE accumulator lift(double x, std::int64_t index) const
    {
        return {std::fabs(x - target), 2 * index, x};
    }
    RANKFOLD_HOST_DEVICE accumulator combine(accumulator l, accumulator r) const
    {
        return better(r.value, l.value) ? r : l;
    }
    RANKFOLD_HOST_DEVICE accumulator seal(accumulator a, std::int64_t /*count*/) const { return a; }
    RANKFOLD_HOST_DEVICE double lower(accumulator a) const { return a.element; }
    RANKFOLD_HOST_DEVICE accumulator raise(double x) const { return {std::fabs(x - target), -1, x}; }
    RANKFOLD_HOST_DEVICE static bool better(double x, double y) { return x < y; }
};

/// What a kernel compiler makes of an algebra: in user_algebras.cu, or without one null phases.
template <Algebra A>
[[nodiscard]] local_phases device_phases_of();

} // namespace rankfold::test
