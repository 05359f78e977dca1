// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The algebras behind the operations of user_algebras.hpp. With CUDA nvcc compiles this file, for both
// backends.
#include "core/user_algebras.hpp"

#include "rankfold/user_operator.hpp"

namespace rankfold::test {
namespace {

struct defaulted_sum : value_algebra<defaulted_to_nan> {
    RANKFOLD_HOST_DEVICE defaulted_to_nan combine(defaulted_to_nan l, defaulted_to_nan r) const
    {
        return {l.value + r.value};
    }
};

template <std::size_t N>
struct shorts_sum : value_algebra<shorts<N>> {
    static constexpr bool commutative = true;
    RANKFOLD_HOST_DEVICE shorts<N> combine(shorts<N> l, shorts<N> r) const
    {
        for (std::size_t i = 0; i < N; ++i) {
            l.v[i] = static_cast<std::int16_t>(l.v[i] + r.v[i]);
        }
        return l;
    }
};

struct decimal_join : value_algebra<std::int64_t, decimal> {
    static constexpr bool has_identity = true;
    RANKFOLD_HOST_DEVICE decimal lift(std::int64_t x, std::int64_t /*index*/) const { return {x, 10}; }
    RANKFOLD_HOST_DEVICE decimal combine(decimal l, decimal r) const
    {
        return {l.value * r.power + r.value, l.power * r.power};
    }
    RANKFOLD_HOST_DEVICE decimal identity() const { return {0, 1}; }
};

struct log_add_exp : value_algebra<double> {
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

} // namespace

operation interval_operation()
{
    return make_operation(interval_algebra{});
}
operation defaulted_sum_operation()
{
    return make_operation(defaulted_sum{});
}
template <std::size_t N>
operation shorts_sum_operation()
{
    return make_operation(shorts_sum<N>{});
}
template operation shorts_sum_operation<3>();
template operation shorts_sum_operation<9>();
operation decimal_operation()
{
    return make_operation(decimal_join{});
}
operation log_add_exp_operation()
{
    return make_operation(log_add_exp{});
}
operation nearest_operation(double target)
{
    return make_operation(nearest{target});
}

} // namespace rankfold::test
