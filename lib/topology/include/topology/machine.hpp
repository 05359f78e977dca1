// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "topology/index_set.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace rankfold::topology {

struct core {
    int package = 0;
    int numa = -1; ///< position in machine::numa_nodes
    index_set threads = {};
};

struct numa_node {
    int os_index = 0;
    int package = 0;
    bool has_cores = true; ///< false for memory-only nodes, such as the memory of a GPU
    index_set threads = {};
};

/// A GPU that a rank could use. Its identity is `id`, never its position.
struct gpu {
    std::string bus_id = {}; ///< normalised PCI bus id, "0000:3b:00.0"
    std::string uuid = {};   ///< "GPU-..." or "MIG-..."; empty if unknown (a recorded topology)
    std::string name = {};
    int ordinal = -1;               ///< CUDA device index in this process; -1 if not of this process
    bool mig = false;               ///< a MIG slice: several share a bus id, so the uuid names it
    int nvlink_group = -1;          ///< GPUs of one group reach each other over NVLink; -1 if in none
    index_set threads = {};         ///< hardware threads near it; empty if unknown
    std::vector<int> pci_path = {}; ///< bridges above it, from the root

    const std::string& id() const { return mig ? uuid : bus_id; } ///< what RANKFOLD_DEVICE holds
};

struct nic {
    std::string name = {}; ///< interface, "mlx5_0" or "eth0"
    std::string bus_id = {};
    bool rdma = false; ///< an OpenFabrics device (with a port for UCX)
    index_set threads = {};
    std::vector<int> pci_path = {};
};

/// What the planner knows of one node. Plain values: a recorded machine and a live one are the same to it.
struct machine {
    std::string source = {}; ///< "this machine", "file x.xml", "synthetic ..."
    bool live = false;       ///< read from the running kernel, so binding has a meaning
    int packages = 0;
    std::vector<core> cores = {};                 ///< in hwloc's logical order: neighbours share caches
    std::vector<numa_node> numa_nodes = {};       ///< by OS index
    std::vector<gpu> gpus = {};                   ///< by id
    std::vector<nic> nics = {};                   ///< by bus id, name
    std::vector<std::vector<int>> distances = {}; ///< between numa_nodes; 10 is local; may be empty
    /// Hardware threads that may be used; live: inside the inherited mask too.
    index_set allowed_threads = {};
    index_set cgroup_threads = {};     ///< the same before the inherited mask
    index_set allowed_nodes = {};      ///< memory nodes (OS indices) permitted
    std::vector<gpu> hidden_gpus = {}; ///< GPUs of the PCI tree that this process may not use

    /// Distance between two positions in numa_nodes: the kernel's, or else 10 (same), 15 (same package), 20.
    int distance(int a, int b) const;
    /// Positions in numa_nodes with cores among `threads`.
    std::vector<int> nodes_of(const index_set& threads) const;
    /// Position in gpus of a bus id or uuid (any case, any length of domain), or -1.
    int find_gpu(std::string_view id) const;
};

/// "00000000:3B:00.0", "3b:00.0" and "0000:3b:00.0" all give "0000:3b:00.0".
/// @throws topology_error if the text is not a PCI bus id
std::string normalise_bus_id(std::string_view text);

} // namespace rankfold::topology
