// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What Rankfold is for: the numbers of all ranks, reduced and scanned as one array.
#pragma once

#include "layout.hpp"

#include <rankfold/rankfold.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace field_stats {

/// Exact where the field is of integers.
using number = std::variant<std::int64_t, double>;

struct extreme {
    number value;
    std::int64_t index; ///< global
};

struct statistics {
    std::int64_t count = 0;         ///< values, without those below
    std::int64_t no_data_count = 0; ///< values that stand for "not known": left out of everything else
    number sum = 0.0;               ///< of integers exact, or else (beyond 64 bits) rounded
    double mean = 0.0;
    double root_mean_square = 0.0;
    std::optional<extreme> minimum{}; ///< empty where count is 0; the first NaN if there is one
    std::optional<extreme> maximum{};
};

/// Sums of float are accumulated in double. `mine` is this rank's piece, which may be empty on any or all
/// ranks; values of which no_data holds are overwritten by 0. T: float, double, int32, int64. Collective.
/// @throws rankfold::error on every rank
template <class T>
statistics statistics_of(const rankfold::communicator& comm, std::span<T> mine,
                         const std::optional<no_data_rule>& no_data);

template <class T>
using prefix_type = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;

/// Sums of everything up to and with each number, in file order; integers wrap beyond 64 bits.
template <class T>
std::vector<prefix_type<T>> prefix_sums(const rankfold::communicator& comm, std::span<const T> mine);

} // namespace field_stats
