// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The forms for wider vectors give the bits of the narrow ones.
#include "vector_prefix.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <vector>

namespace rankfold::test {
namespace {

template <class T>
std::vector<T> random_values(std::size_t count)
{
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    std::vector<T> x(count);
    for (T& e : x) {
        e = static_cast<T>(normal(random));
    }
    return x;
}

template <class T>
void expect_same_bits(const std::vector<T>& x, T before)
{
    using narrow = host::detail::vector_prefix<operator_id::sum, T>;
    const auto n = static_cast<std::int64_t>(x.size());
    const T carry = static_cast<T>(0.3);
    for (const T* left : {&carry, static_cast<const T*>(nullptr)}) {
        std::vector<T> y(x.size());
        std::vector<T> z(x.size());
        T y_before = before;
        T z_before = before;

        const auto done = host::detail::scan_pairs_wide(x.data(), n, left, y_before, y.data(), false);
        const auto expected = left ? narrow::template scan_pairs<true>(x.data(), n, carry, z_before, z.data())
                                   : narrow::template scan_pairs<false>(x.data(), n, T{}, z_before, z.data());

        EXPECT_EQ(done, expected);
        EXPECT_EQ(std::memcmp(y.data(), z.data(), y.size() * sizeof(T)), 0);
        EXPECT_EQ(std::memcmp(&y_before, &z_before, sizeof(T)), 0);
    }
}

template <class T>
void check()
{
    if (!host::detail::has_wide_vectors) {
        GTEST_SKIP() << "the processor has no AVX2";
    }
    expect_same_bits<T>(random_values<T>(100003), static_cast<T>(0.1));
    expect_same_bits<T>(std::vector<T>(67, static_cast<T>(-0.0)), static_cast<T>(-0.0));
}

TEST(WideVectors, FloatSumsHaveTheSameBits)
{
    check<float>();
}
TEST(WideVectors, DoubleSumsHaveTheSameBits)
{
    check<double>();
}

} // namespace
} // namespace rankfold::test
