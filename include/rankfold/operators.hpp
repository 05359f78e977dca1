// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The built-in operators by name. What they compute is in rankfold/algebra.hpp.
#pragma once

#include "rankfold/config.hpp"

#include <cstdint>
#include <string_view>

namespace rankfold {

/// Names of the operators; the values travel in fingerprints.
enum class operator_id : std::uint8_t {
    sum,
    prod,
    min,
    max,
    bit_and,
    bit_or,
    bit_xor,
    logical_and,
    logical_or,
    affine,
    min_loc,
    max_loc,
    user,
};

/// The name as text: "logical_and".
[[nodiscard]] std::string_view to_string(operator_id id) noexcept;

/// A built-in operator as a value: pass `rankfold::sum`.
template <operator_id Id>
struct builtin_operator {
    static constexpr operator_id id = Id;
};

// Which types each takes, and in what it accumulates: rankfold/permitted.hpp.

/// l + r; identity 0. Integers wrap.
inline constexpr builtin_operator<operator_id::sum> sum{};
/// l * r; identity 1. Integers wrap.
inline constexpr builtin_operator<operator_id::prod> prod{};
/// The smaller one; propagates NaN, orders -0 below +0 (IEEE 754-2019 minimum). Identity: infinity, or the
/// largest integer.
inline constexpr builtin_operator<operator_id::min> min{};
/// The larger one; propagates NaN, orders -0 below +0 (IEEE 754-2019 maximum). Identity: -infinity, or the
/// smallest integer.
inline constexpr builtin_operator<operator_id::max> max{};
/// l & r; identity: all bits set.
inline constexpr builtin_operator<operator_id::bit_and> bit_and{};
/// l | r; identity 0.
inline constexpr builtin_operator<operator_id::bit_or> bit_or{};
/// l ^ r; identity 0.
inline constexpr builtin_operator<operator_id::bit_xor> bit_xor{};
/// l && r, where any non-zero value counts as true; the result is 0 or 1. Identity 1.
inline constexpr builtin_operator<operator_id::logical_and> logical_and{};
/// l || r, likewise. Identity 0.
inline constexpr builtin_operator<operator_id::logical_or> logical_or{};
/// x -> r(l(x)), the composition of affine maps in index order; not commutative. Identity: x -> x.
inline constexpr builtin_operator<operator_id::affine> affine{};

} // namespace rankfold
