// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout.hpp"
#include "statistics.hpp"

#include <string>

namespace field_stats {

/// What was computed, of what, and by whom.
struct report {
    std::string path{};
    layout where{};
    statistics values{};
    std::string prefix_sum_path{}; ///< empty: none was written
    int ranks = 1;
    std::string backend{};
    std::string transport{};
};

/// A few lines to read. Numbers have as many digits as tell them from all others.
[[nodiscard]] std::string as_text(const report& r);
/// The same as JSON. Numbers that JSON does not know are the strings "NaN", "Infinity" and "-Infinity"; null
/// is what there is not: mean and extremes of nothing.
[[nodiscard]] std::string as_json(const report& r);

} // namespace field_stats
