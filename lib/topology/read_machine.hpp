// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// From a topology of hwloc to a machine, the same for live and recorded ones.
#pragma once

#include "hwloc_handle.hpp"
#include "topology/machine.hpp"

namespace rankfold::topology {

/// An empty topology that keeps devices and what the cgroup forbids.
hwloc_handle new_topology();

/// @param topology  loaded
/// @throws topology_error if it has no cores
machine read_machine(hwloc_topology_t topology, std::string source);

} // namespace rankfold::topology
