// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hwloc_handle.hpp"
#include "topology/machine.hpp"

namespace rankfold::topology {

/// NVIDIA GPUs of the PCI tree, by id, with their locality, NVLink groups and MIG slices.
std::vector<gpu> pci_gpus(hwloc_topology_t topology);

/// Network devices of the PCI tree, by bus id, those without an active port left out.
std::vector<nic> pci_nics(hwloc_topology_t topology);

} // namespace rankfold::topology
