// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Algebras that a user might write, and their operations: made in user_algebras.cpp.
#pragma once

#include "rankfold/operation.hpp"
#include "support/interval.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace rankfold::test {

/// A struct whose default value is no identity.
struct defaulted_to_nan {
    double value = std::numeric_limits<double>::quiet_NaN();
};

/// Elements of 2 N bytes. (Not std::array: its functions are not for device code.)
template <std::size_t N>
struct shorts {
    std::int16_t v[N];
    friend bool operator==(const shorts&, const shorts&) = default;
};

/// Decimal digits, joined by writing them one after the other.
struct decimal {
    std::int64_t value;
    std::int64_t power; ///< 10 to the number of digits
};

[[nodiscard]] operation interval_operation();
[[nodiscard]] operation defaulted_sum_operation();
template <std::size_t N>
[[nodiscard]] operation shorts_sum_operation();
[[nodiscard]] operation decimal_operation();
[[nodiscard]] operation log_add_exp_operation();
/// Of doubles, the one nearest to a target; of two the left one.
[[nodiscard]] operation nearest_operation(double target);

} // namespace rankfold::test
