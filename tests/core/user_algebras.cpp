// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/user_algebras.hpp"

#include "rankfold/host/operation.hpp"

namespace rankfold::test {
namespace {

/// What an algebra of plain values brings along; without an identity.
template <class T>
struct plain_algebra {
    using input = T;
    using accumulator = T;
    using output = T;
    static constexpr bool commutative = false;
    static constexpr bool has_identity = false;
    T lift(T x, std::int64_t /*index*/) const { return x; }
    T seal(T a, std::int64_t /*count*/) const { return a; }
    T lower(T a) const { return a; }
    T raise(T r) const { return r; }
};

struct defaulted_sum : plain_algebra<defaulted_to_nan> {
    defaulted_to_nan combine(defaulted_to_nan l, defaulted_to_nan r) const { return {l.value + r.value}; }
};

template <std::size_t N>
struct shorts_sum : plain_algebra<shorts<N>> {
    static constexpr bool commutative = true;
    shorts<N> combine(shorts<N> l, shorts<N> r) const
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
    decimal lift(std::int64_t x, std::int64_t /*index*/) const { return {x, 10}; }
    decimal combine(decimal l, decimal r) const { return {l.value * r.power + r.value, l.power * r.power}; }
    decimal seal(decimal a, std::int64_t /*count*/) const { return a; }
    decimal lower(decimal a) const { return a; }
    decimal raise(decimal r) const { return r; }
    decimal identity() const { return {0, 1}; }
};

struct log_add_exp : plain_algebra<double> {
    double combine(double l, double r) const
    {
        const double high = std::fmax(l, r);
        return std::isinf(high) ? high : high + std::log1p(std::exp(std::fmin(l, r) - high));
    }
};

} // namespace

operation interval_operation()
{
    return host::make_operation(interval_algebra{});
}
operation defaulted_sum_operation()
{
    return host::make_operation(defaulted_sum{});
}
template <std::size_t N>
operation shorts_sum_operation()
{
    return host::make_operation(shorts_sum<N>{});
}
template operation shorts_sum_operation<3>();
template operation shorts_sum_operation<9>();
operation decimal_operation()
{
    return host::make_operation(decimal_join{});
}
operation log_add_exp_operation()
{
    return host::make_operation(log_add_exp{});
}

} // namespace rankfold::test
