// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "topology/place.hpp"

// The steps of place(), each on plain vectors indexed by rank.
namespace rankfold::topology {

/// One limit per rank, with the machine's own limits applied: threads never empty.
std::vector<rank_limit> effective_limits(const machine& where, const request& what);

/// Home NUMA node of each rank; `gpus` as from assign_gpus.
std::vector<int> assign_homes(const machine& where, const request& what, std::span<const rank_limit> limits,
                              std::span<const int> gpus);

/// Cores of each rank, ascending; no core twice unless what.oversubscribe.
std::vector<std::vector<int>> assign_cores(const machine& where, const request& what,
                                           std::span<const rank_limit> limits, std::span<const int> homes);

/// Position in where.nics of each rank's network device, -1 if there is none.
std::vector<int> assign_nics(const machine& where, std::span<const int> gpus, std::span<const int> homes);

/// Ranks from the most to the least constrained, so that a rank with few choices gets one of them.
std::vector<int> by_constraint(std::span<const rank_limit> limits);

/// Positions of the cores that have a thread in `threads`.
std::vector<int> usable_cores(const machine& where, const index_set& threads);

/// Among ranks of equal limits, hands out the chosen values in ascending order of rank.
void sort_within_equal_limits(std::span<const rank_limit> limits, std::vector<int>& chosen);

inline std::size_t at(int position)
{
    return static_cast<std::size_t>(position);
}

} // namespace rankfold::topology
