// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "topology/machine.hpp"

namespace rankfold::topology {

enum class gpu_source { driver, none };

/// The machine that this process runs on: cores, NUMA nodes and devices from hwloc, GPUs from the CUDA driver
/// if there is one. allowed_threads is the cgroup's set intersected with this thread's affinity mask.
/// @throws topology_error if hwloc fails, or if HWLOC_XMLFILE or HWLOC_SYNTHETIC replaces the machine by
/// another
/// @param gpus `none` leaves the CUDA driver alone (a host run pays nothing for it)
machine load_live(gpu_source gpus = gpu_source::driver);

/// A machine recorded with `lstopo --of xml`; its GPUs are the NVIDIA display controllers of the PCI tree.
/// @throws topology_error if the file cannot be read or parsed
machine load_xml(const std::string& path);

/// The same from memory.
machine load_xml_text(const std::string& text);

/// @param description hwloc's synthetic form, "package:2 numa:1 core:8 pu:2"
machine load_synthetic(const std::string& description);

/// Why a plan made on `recorded` cannot be applied to `actual`, or an empty string if their cores and NUMA
/// nodes agree.
std::string difference(const machine& recorded, const machine& actual);

/// A recording of this machine (its PCI tree may show what a container hides), with the limits and GPUs of
/// this process.
/// @throws topology_error if it is of another machine
machine as_live(machine recorded, const machine& actual);

} // namespace rankfold::topology
