// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers that are hard to add up: they span much, cancel, or end in ties that the last bit decides.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace rankfold::test {

/// Numbers of either sign whose exponents spread over `powers` powers of two, downwards from `top`.
template <class T>
std::vector<T> spread_numbers(std::mt19937_64& random, int count, int powers, int top)
{
    std::vector<T> x;
    for (int i = 0; i < count; ++i) {
        const double fraction = std::ldexp(static_cast<double>(random() >> 11), -53);
        const int exponent = top - static_cast<int>(random() % static_cast<unsigned>(powers));
        x.push_back(static_cast<T>(std::ldexp((random() & 1) != 0 ? fraction : -fraction, exponent)));
    }
    return x;
}

/// Appends the negatives of all, and then `left`: that is their sum.
template <class T>
std::vector<T> cancelling(std::vector<T> x, const std::vector<T>& left, std::mt19937_64& random)
{
    const std::size_t n = x.size();
    for (std::size_t i = 0; i < n; ++i) {
        x.push_back(-x[i]);
    }
    x.insert(x.end(), left.begin(), left.end());
    std::shuffle(x.begin(), x.end(), random);
    return x;
}

struct hard_case {
    std::string name;
    std::vector<double> values;
};

/// Sums of doubles: every span, heavy cancellation, ties, subnormal results, and both sides of overflow.
inline std::vector<hard_case> hard_sums(std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    const double most = std::numeric_limits<double>::max();
    const double least = std::numeric_limits<double>::denorm_min();
    std::vector<hard_case> cases;
    for (const int powers : {1, 10, 100, 600, 2000}) {
        const int top = powers == 2000 ? 1000 : powers / 2;
        const auto x = spread_numbers<double>(random, 700, powers, top);
        const std::string name = "spread over " + std::to_string(powers);
        cases.push_back({name, x});
        cases.push_back({name + ", to zero", cancelling(x, {}, random)});
        cases.push_back({name + ", to the last bit", cancelling(x, {-least}, random)});
        cases.push_back({name + ", to one", cancelling(x, {1.0, 0x1p-53, -0x1p-1000}, random)});
    }
    for (const double sign : {1.0, -1.0}) {
        for (const double odd : {0.0, 0x1p-52}) { // ties go to even, down and up
            const double x = sign * (1 + odd);
            for (const double far : {0.0, 0x1p-1000, -0x1p-1000, least, -least}) {
                cases.push_back({"a tie at " + std::to_string(x), {x, sign * 0x1p-53, far}});
            }
        }
        const double half_unit = sign * 0x1p970;
        for (const double far : {0.0, least, -least}) {
            cases.push_back({"around the largest", {sign * most, half_unit, far}});
            cases.push_back(
                {"around the largest, in parts", {sign * most, sign * most, half_unit, -sign * most, far}});
        }
        cases.push_back({"subnormal", {sign * 0x1p-1022, -sign * 5 * least}});
        cases.push_back({"up to normal", {sign * (0x1p-1022 - least), sign * least}});
        cases.push_back({"a hundred of the least", std::vector<double>(100, sign * least)});
    }
    cases.push_back({"1e100", {1, 1e100, 1, -1e100}});
    cases.push_back({"1e16", {1e16, 1, -1e16, 1}});
    cases.push_back({"1e308", {1e308, 1e308, -1e308}});
    return cases;
}

/// Numbers of which sums are special, and some that are not.
inline std::vector<double> special_numbers()
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    return {0.0,
            -0.0,
            1.0,
            -1.0,
            infinity,
            -infinity,
            nan,
            -nan,
            std::numeric_limits<double>::max(),
            std::numeric_limits<double>::denorm_min()};
}

} // namespace rankfold::test
