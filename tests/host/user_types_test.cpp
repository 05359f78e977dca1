// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operators of users: odd sizes, padding, no default value, defaults that are no identity, state in the
// functor.
#include "rankfold/host/operation.hpp"
#include "runner.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rankfold::test {
namespace {

template <class T, bool Commutative>
struct plain_algebra : value_algebra<T> {
    static constexpr bool commutative = Commutative;
};

template <std::size_t Count>
struct shorts {
    std::int16_t v[Count];
    friend bool operator==(const shorts&, const shorts&) = default;
};

template <std::size_t Count, bool Commutative>
struct add_shorts : plain_algebra<shorts<Count>, Commutative> {
    shorts<Count> combine(shorts<Count> l, shorts<Count> r) const
    {
        for (std::size_t k = 0; k < Count; ++k) {
            l.v[k] = static_cast<std::int16_t>(l.v[k] + r.v[k]);
        }
        return l;
    }
};

/// Defaults to NaN.
struct dirty {
    double value = std::numeric_limits<double>::quiet_NaN();
    friend bool operator==(const dirty&, const dirty&) = default;
};

struct add_dirty : plain_algebra<dirty, true> {
    dirty combine(dirty l, dirty r) const { return {l.value + r.value}; }
};

/// No default constructor, and padding.
struct tagged {
    explicit tagged(double v, char t) : value(v), tag(t) {}
    double value;
    char tag;
    friend bool operator==(const tagged&, const tagged&) = default;
};

/// Adds values and keeps the last tag: not commutative. The functor has state.
struct add_tagged : plain_algebra<tagged, false> {
    double scale;
    tagged combine(tagged l, tagged r) const { return tagged(l.value + r.value, r.tag); }
    tagged lift(tagged x, std::int64_t) const { return tagged(x.value * scale, x.tag); }
};

struct log_add_exp : plain_algebra<double, true> {
    double combine(double l, double r) const
    {
        const double high = std::max(l, r);
        return std::isinf(high) ? high : high + std::log1p(std::exp(std::min(l, r) - high));
    }
};

template <class A>
void check_against_oracle(const A& algebra, const std::vector<typename A::input>& x)
{
    using value = typename A::output;
    const operation op = host::make_operation(algebra);
    const auto n = static_cast<std::int64_t>(x.size());
    const auto expected = oracle::scan(algebra, std::span(x), true);

    for (const int threads : {1, 3}) {
        EXPECT_EQ((run_reduce<value, value>(op, {std::span(x)}, {.threads = threads})), expected.back());
        results<value> whole(x.size());
        results<value> split(x.size());
        run_scan<value, value>(op, x.data(), whole.data(), n, {.threads = threads});
        run_tile_scan<value, value>(op, x.data(), split.data(), {n / 4, n - n / 4}, {.threads = threads});
        for (std::size_t i = 0; i < x.size(); ++i) {
            ASSERT_EQ(whole[i], expected[i]) << i;
            ASSERT_EQ(split[i], expected[i]) << i;
        }
    }
}

TEST(UserTypes, SizesThatAreNoMultipleOfFour) // BC-52
{
    check_against_oracle(add_shorts<3, true>{}, std::vector<shorts<3>>(1000, {{1, 2, 3}}));
    check_against_oracle(add_shorts<9, true>{}, std::vector<shorts<9>>(1000, {{1, 1, 1, 1, 1, 1, 1, 1, 1}}));
    check_against_oracle(add_shorts<3, false>{}, std::vector<shorts<3>>(100000, {{1, 2, 3}}));
    check_against_oracle(add_shorts<9, false>{},
                         std::vector<shorts<9>>(100000, {{1, 1, 1, 1, 1, 1, 1, 1, 1}}));
}

TEST(UserTypes, LargestElement) // BC-53: anything larger does not compile
{
    check_against_oracle(add_shorts<32, true>{}, std::vector<shorts<32>>(10000, {{1, 2, 3, 4, 5}}));
    check_against_oracle(add_shorts<32, false>{}, std::vector<shorts<32>>(10000, {{1, 2, 3, 4, 5}}));
}

TEST(UserTypes, DefaultValueIsNeverUsed) // BC-42
{
    check_against_oracle(add_dirty{}, std::vector<dirty>(1000, dirty{1.0}));
    check_against_oracle(add_dirty{}, std::vector<dirty>(100001, dirty{1.0}));
}

TEST(UserTypes, NoDefaultConstructorPaddingAndState)
{
    std::vector<tagged> x;
    for (int i = 0; i < 100001; ++i) {
        x.emplace_back(i % 5, static_cast<char>(i));
    }
    check_against_oracle(add_tagged{{}, 2.0}, x);
}

TEST(UserTypes, LogAddExpOfMinusInfinities) // BC-23
{
    const double low = -std::numeric_limits<double>::infinity();
    const std::vector<double> x{2, low, low, 1, low, low, 3};
    const std::vector<double> expected{2, 2, 2, 2.3132617, 2.3132617, 2.3132617, 3.4076060};
    std::vector<double> y(x.size());

    run_tile_scan<double, double>(host::make_operation(log_add_exp{}), x.data(), y.data(), {3, 2, 2});

    for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR(y[i], expected[i], 1e-7);
    }
}

} // namespace
} // namespace rankfold::test
