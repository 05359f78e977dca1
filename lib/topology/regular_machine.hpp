// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Synthetic machines without hwloc, which needs time with the cube of their size: a minute for 8192 cores.
#pragma once

#include "topology/machine.hpp"

#include <optional>

namespace rankfold::topology {

/// The machine of a description that is plain counts of packages, NUMA nodes, cores and hardware threads, in
/// this order and each at most once: "package:2 numa:4 core:8 pu:2". It is the one that hwloc would make.
/// @return nothing for all other descriptions, good or bad: they are hwloc's
/// @throws topology_error if it has more hardware threads than an index_set holds
std::optional<machine> regular_machine(const std::string& description);

} // namespace rankfold::topology
