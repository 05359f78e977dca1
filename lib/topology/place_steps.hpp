// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The steps of place(), each on plain vectors indexed by rank.
#pragma once

#include "limit_groups.hpp"
#include "topology/place.hpp"

namespace rankfold::topology {

/// One limit per rank, with the machine's own limits applied: threads never empty.
std::vector<rank_limit> effective_limits(const machine& where, const request& what);

/// GPU of each rank, as the function of the same name on limits.
std::vector<int> assign_gpus(const machine& where, const limit_groups& groups);

/// Home NUMA node of each rank; `gpus` as from assign_gpus.
std::vector<int> assign_homes(const machine& where, const request& what, const limit_groups& groups,
                              std::span<const int> gpus);

/// Cores of each rank, ascending; no core twice unless what.oversubscribe.
std::vector<std::vector<int>> assign_cores(const machine& where, const request& what,
                                           const limit_groups& groups, std::span<const int> homes);

/// Position in where.nics of each rank's network device, -1 if there is none.
std::vector<int> assign_nics(const machine& where, std::span<const int> gpus, std::span<const int> homes);

/// Positions of the cores that have a thread in `threads`.
std::vector<int> usable_cores(const machine& where, const index_set& threads);

inline std::size_t at(int position)
{
    return static_cast<std::size_t>(position);
}

} // namespace rankfold::topology
