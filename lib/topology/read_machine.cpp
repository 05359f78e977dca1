// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reads NUMA nodes first, then cores with the node of each, then distances and devices.
#include "read_machine.hpp"

#include "load_devices.hpp"
#include "topology/error.hpp"

#include <algorithm>
#include <cstring>
#include <map>

namespace rankfold::topology {
namespace {

int package_of(hwloc_topology_t topology, hwloc_obj_t object)
{
    const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, object);
    return package == nullptr ? 0 : static_cast<int>(package->logical_index);
}

void read_numa_nodes(hwloc_topology_t topology, machine& m)
{
    for (hwloc_obj_t node = nullptr;
         (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr;)
        m.numa_nodes.push_back(
            {.os_index = static_cast<int>(node->os_index),
             .package = package_of(topology, node),
             .has_cores = node->subtype == nullptr || std::strcmp(node->subtype, "GPUMemory") != 0,
             .threads = to_index_set(node->cpuset)});
    std::sort(m.numa_nodes.begin(), m.numa_nodes.end(),
              [](const numa_node& a, const numa_node& b) { return a.os_index < b.os_index; });
}

// A core belongs to the smallest node around it; of nodes with equal cores (DRAM beside HBM) to the first.
int home_of(const machine& m, const index_set& threads)
{
    int best = -1;
    for (int i = 0; i < static_cast<int>(m.numa_nodes.size()); ++i) {
        const numa_node& node = m.numa_nodes[static_cast<std::size_t>(i)];
        if (node.has_cores && node.threads.contains(threads) &&
            (best < 0 || node.threads.count() < m.numa_nodes[static_cast<std::size_t>(best)].threads.count()))
            best = i;
    }
    return best;
}

void add_core(hwloc_topology_t topology, hwloc_obj_t object, machine& m)
{
    const index_set threads = to_index_set(object->cpuset);
    m.cores.push_back(
        {.package = package_of(topology, object), .numa = home_of(m, threads), .threads = threads});
}

// Some virtual machines have hardware threads and no cores: then every thread counts as a core.
void read_cores(hwloc_topology_t topology, machine& m)
{
    const bool has_cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0;
    const hwloc_obj_type_t type = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    for (hwloc_obj_t at = nullptr; (at = hwloc_get_next_obj_by_type(topology, type, at)) != nullptr;)
        add_core(topology, at, m);
    for (int i = 0; i < static_cast<int>(m.numa_nodes.size()); ++i)
        m.numa_nodes[static_cast<std::size_t>(i)].has_cores =
            std::any_of(m.cores.begin(), m.cores.end(), [&](const core& c) { return c.numa == i; });
}

void read_distances(hwloc_topology_t topology, machine& m)
{
    unsigned found = 1;
    hwloc_distances_s* matrix = nullptr;
    if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &found, &matrix,
                                    HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
        found == 0)
        return;
    std::map<int, std::size_t> position;
    for (std::size_t i = 0; i < m.numa_nodes.size(); ++i)
        position[m.numa_nodes[i].os_index] = i;
    const std::size_t n = matrix->nbobjs;
    if (n == m.numa_nodes.size()) {
        m.distances.assign(n, std::vector<int>(n));
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                m.distances[position.at(static_cast<int>(matrix->objs[i]->os_index))]
                           [position.at(static_cast<int>(matrix->objs[j]->os_index))] =
                    static_cast<int>(matrix->values[i * n + j]);
    }
    hwloc_distances_release(topology, matrix);
}

} // namespace

hwloc_handle new_topology()
{
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0)
        throw topology_error("hwloc_topology_init failed");
    hwloc_handle topology(raw);
    // What the cgroup forbids stays in the picture; the plan leaves it out by allowed_threads.
    hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
    return topology;
}

machine read_machine(hwloc_topology_t topology, std::string source)
{
    machine m;
    m.source = std::move(source);
    m.packages = std::max(1, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE));
    read_numa_nodes(topology, m);
    read_cores(topology, m);
    read_distances(topology, m);
    m.allowed_threads = to_index_set(hwloc_topology_get_allowed_cpuset(topology));
    m.cgroup_threads = m.allowed_threads;
    m.allowed_nodes = to_index_set(hwloc_topology_get_allowed_nodeset(topology));
    m.gpus = pci_gpus(topology);
    m.nics = pci_nics(topology);
    if (m.cores.empty())
        throw topology_error(m.source + " has no cores");
    return m;
}

} // namespace rankfold::topology
