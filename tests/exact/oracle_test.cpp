// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The oracle of the other tests of exact sums against mpfr_sum, which is correctly rounded.
#include "support/exact_sum.hpp"
#include "support/expect.hpp"
#include "support/hard_sums.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <deque>

namespace rankfold::test {
namespace {

/// A number of MPFR, released at the end.
struct mpfr_number {
    explicit mpfr_number(mpfr_prec_t precision) { mpfr_init2(value, precision); }
    mpfr_number(const mpfr_number&) = delete;
    mpfr_number& operator=(const mpfr_number&) = delete;
    ~mpfr_number() { mpfr_clear(value); }
    mpfr_t value;
};

/// The sum of `terms`, rounded once to T.
template <class T>
double mpfr_rounded(std::deque<mpfr_number>& terms)
{
    std::vector<mpfr_ptr> pointers;
    for (mpfr_number& term : terms) {
        pointers.push_back(term.value);
    }
    const auto sum_to = [&](mpfr_prec_t precision, mpfr_t result) {
        mpfr_set_prec(result, precision);
        mpfr_sum(result, pointers.data(), pointers.size(), MPFR_RNDN);
    };
    mpfr_number result(number_range<T>::digits);
    sum_to(number_range<T>::digits, result.value);
    if (mpfr_regular_p(result.value)) {
        // Of a subnormal number fewer bits are kept: round once more, from the terms.
        const auto kept = mpfr_get_exp(result.value) - number_range<T>::lowest;
        if (kept < number_range<T>::digits) {
            sum_to(std::max<mpfr_prec_t>(kept, MPFR_PREC_MIN), result.value);
        }
    }
    return mpfr_get_d(result.value, MPFR_RNDN);
}

template <class T>
T mpfr_sum_of(const std::vector<double>& values)
{
    std::deque<mpfr_number> terms;
    for (const double x : values) {
        terms.emplace_back(53);
        mpfr_set_d(terms.back().value, x, MPFR_RNDN);
    }
    return number_of<T>(mpfr_rounded<T>(terms));
}

TEST(Oracle, AddsAsMpfrDoes)
{
    for (const hard_case& c : hard_sums(1)) {
        EXPECT_TRUE(same_bits(exact_sum_of<double>(c.values), mpfr_sum_of<double>(c.values))) << c.name;
    }
}

TEST(Oracle, RoundsToFloatAsMpfrDoes)
{
    std::mt19937_64 random(2);
    for (const int top : {127, 1, -100, -126, -140}) {
        for (int repeat = 0; repeat < 50; ++repeat) {
            const auto x = spread_numbers<float>(random, 40, 20, top);
            const std::vector<double> values(x.begin(), x.end());
            EXPECT_TRUE(same_bits(exact_sum_of<float>(values), mpfr_sum_of<float>(values))) << top;
        }
    }
}

TEST(Oracle, AddsProductsAsMpfrDoes)
{
    std::mt19937_64 random(3);
    for (const int powers : {1, 100, 900}) {
        for (const int top : {500, 0, -500}) {
            const auto x = spread_numbers<double>(random, 200, powers, top);
            const auto y = spread_numbers<double>(random, 200, powers, 0);
            exact_sum sum;
            std::deque<mpfr_number> terms;
            for (std::size_t i = 0; i < x.size(); ++i) {
                sum.add_product(x[i], y[i]);
                terms.emplace_back(106);
                mpfr_set_d(terms.back().value, x[i], MPFR_RNDN);
                mpfr_mul_d(terms.back().value, terms.back().value, y[i], MPFR_RNDN);
            }
            EXPECT_TRUE(same_bits(sum.rounded<double>(), mpfr_rounded<double>(terms)))
                << powers << " " << top;
        }
    }
}

TEST(Oracle, KnowsSpecialNumbersAsMpfrDoes)
{
    for (const double x : special_numbers()) {
        for (const double y : special_numbers()) {
            const double expected = mpfr_sum_of<double>({x, y});
            const double actual = exact_sum_of<double>(std::vector<double>{x, y});
            EXPECT_TRUE(std::isnan(expected) ? std::isnan(actual) : same_bits(actual, expected))
                << x << " + " << y;
        }
    }
    EXPECT_TRUE(same_bits(exact_sum_of<double>(std::vector<double>{}), 0.0));
}

} // namespace
} // namespace rankfold::test
