// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the global array is spread over the ranks.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

namespace rankfold::test {

enum class distribution {
    even,
    ragged,
    one_element,
    first_empty,
    last_empty,
    middle_empty,
    all_but_one_empty,
    all_empty
};

inline constexpr std::array all_distributions{
    distribution::even,
    distribution::ragged,
    distribution::one_element,
    distribution::first_empty,
    distribution::last_empty,
    distribution::middle_empty,
    distribution::all_but_one_empty,
    distribution::all_empty,
};

[[nodiscard]] constexpr std::string_view to_string(distribution which)
{
    constexpr std::array<std::string_view, all_distributions.size()> names{
        "even",       "ragged",       "one_element",       "first_empty",
        "last_empty", "middle_empty", "all_but_one_empty", "all_empty"};
    return names[static_cast<std::size_t>(which)];
}

/// Elements of `rank`, where a full piece has `piece` elements.
[[nodiscard]] constexpr std::int64_t count_of(distribution which, std::int64_t piece, int rank, int ranks)
{
    constexpr std::array<int, 5> ragged_quarters{3, 4, 1, 0, 2};
    switch (which) {
    case distribution::even:
        return piece;
    case distribution::ragged:
        return piece * ragged_quarters[static_cast<std::size_t>(rank) % 5] / 4;
    case distribution::one_element:
        return 1;
    case distribution::first_empty:
        return rank == 0 ? 0 : piece;
    case distribution::last_empty:
        return rank == ranks - 1 ? 0 : piece;
    case distribution::middle_empty:
        return rank == ranks / 2 ? 0 : piece;
    case distribution::all_but_one_empty:
        return rank == ranks / 2 ? piece : 0;
    case distribution::all_empty:
        return 0;
    }
    return 0;
}

/// Where the pieces of all ranks lie in the global array.
struct layout {
    std::vector<std::int64_t> counts;
    std::int64_t total = 0;
    std::int64_t offset = 0; ///< of this rank's piece
    std::int64_t count = 0;  ///< of this rank's piece
};

[[nodiscard]] inline layout layout_of(std::vector<std::int64_t> counts, int rank)
{
    layout result;
    result.total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    result.offset = std::accumulate(counts.begin(), counts.begin() + rank, std::int64_t{0});
    result.count = counts[static_cast<std::size_t>(rank)];
    result.counts = std::move(counts);
    return result;
}

[[nodiscard]] inline layout layout_of(distribution which, std::int64_t piece, int rank, int ranks)
{
    std::vector<std::int64_t> counts;
    for (int r = 0; r < ranks; ++r) {
        counts.push_back(count_of(which, piece, r, ranks));
    }
    return layout_of(std::move(counts), rank);
}

/// A global array of `total` elements in pieces that differ by one element at most.
[[nodiscard]] inline layout split_evenly(std::int64_t total, int rank, int ranks)
{
    std::vector<std::int64_t> counts;
    for (int r = 0; r < ranks; ++r) {
        counts.push_back(total * (r + 1) / ranks - total * r / ranks);
    }
    return layout_of(std::move(counts), rank);
}

/// The part of a global vector that this rank holds.
template <class T>
[[nodiscard]] std::vector<T> piece_of(const std::vector<T>& global, const layout& where)
{
    return {global.begin() + where.offset, global.begin() + where.offset + where.count};
}

} // namespace rankfold::test
