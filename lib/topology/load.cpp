// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "topology/load.hpp"

#include "load_devices.hpp"
#include "topology/binding.hpp"
#include "topology/driver.hpp"
#include "topology/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <tuple>

namespace rankfold::topology {
namespace {

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

machine load_or_throw(hwloc_handle topology, const std::string& source)
{
    if (hwloc_topology_load(topology.get()) != 0)
        throw topology_error("hwloc cannot load " + source + ": " + std::strerror(errno));
    return read_machine(topology.get(), source);
}

index_set inherited_mask(hwloc_topology_t topology)
{
    const std::unique_ptr<hwloc_bitmap_s, void (*)(hwloc_bitmap_t)> mask(hwloc_bitmap_alloc(),
                                                                         hwloc_bitmap_free);
    if (hwloc_get_cpubind(topology, mask.get(), HWLOC_CPUBIND_THREAD) != 0)
        return to_index_set(hwloc_topology_get_topology_cpuset(topology));
    return to_index_set(mask.get());
}

// The driver knows which GPUs this process may use, the PCI tree where they are: joined by bus id, never by
// index.
void use_driver_gpus(machine& m, const driver_report& driver)
{
    const std::vector<gpu> in_tree = std::move(m.gpus);
    m.gpus = driver.gpus;
    for (const gpu& there : in_tree) {
        bool visible = false;
        for (gpu& mine : m.gpus) {
            if (mine.bus_id != there.bus_id)
                continue;
            visible = true;
            mine.threads = there.threads;
            mine.pci_path = there.pci_path;
        }
        if (!visible)
            m.hidden_gpus.push_back(there);
    }
    std::sort(m.gpus.begin(), m.gpus.end(), [](const gpu& a, const gpu& b) {
        return std::tie(a.bus_id, a.uuid) < std::tie(b.bus_id, b.uuid);
    });
}

void refuse_replaced_machine()
{
    for (const char* name : {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC"})
        if (const char* value = std::getenv(name); value != nullptr)
            throw topology_error(
                std::string(name) + "=" + value +
                " in the environment replaces this machine by a recorded one, so binding would do "
                "nothing: unset it, or pass the file with --topology and --dry-run");
    throw topology_error(
        "hwloc does not describe this machine (is a HWLOC_ variable set?), so binding would do nothing");
}

} // namespace

machine load_live(gpu_source gpus)
{
    const hwloc_handle topology = new_topology();
    if (hwloc_topology_load(topology.get()) != 0)
        throw topology_error(std::string("hwloc cannot read this machine: ") + std::strerror(errno));
    if (hwloc_topology_is_thissystem(topology.get()) == 0)
        refuse_replaced_machine();
    machine m = read_machine(topology.get(), "this machine");
    m.live = true;
    m.allowed_threads = m.allowed_threads & inherited_mask(topology.get());
    if (const index_set limit = memory_limit(); !limit.empty())
        m.allowed_nodes = m.allowed_nodes & limit;
    use_driver_gpus(m, gpus == gpu_source::driver ? ask_driver() : driver_report());
    return m;
}

machine load_xml(const std::string& path)
{
    if (!std::ifstream(path))
        throw topology_error("topology file '" + path + "' cannot be read: " + std::strerror(errno));
    hwloc_handle topology = new_topology();
    if (hwloc_topology_set_xml(topology.get(), path.c_str()) != 0)
        throw topology_error("'" + path +
                             "' is not an hwloc topology (record one with: lstopo --of xml FILE.xml)");
    return load_or_throw(std::move(topology), "file " + path);
}

machine load_xml_text(const std::string& text)
{
    hwloc_handle topology = new_topology();
    if (hwloc_topology_set_xmlbuffer(topology.get(), text.c_str(), static_cast<int>(text.size() + 1)) != 0)
        throw topology_error("the text is not an hwloc topology");
    return load_or_throw(std::move(topology), "text");
}

machine load_synthetic(const std::string& description)
{
    hwloc_handle topology = new_topology();
    if (hwloc_topology_set_synthetic(topology.get(), description.c_str()) != 0)
        throw topology_error("'" + description +
                             "' is not an hwloc synthetic topology such as package:2 core:8 pu:2");
    return load_or_throw(std::move(topology), "synthetic " + description);
}

machine as_live(machine recorded, const machine& actual)
{
    if (const std::string why = difference(recorded, actual); !why.empty())
        throw topology_error(recorded.source + " is of another machine: " + why +
                             "; a plan for it cannot be bound here (use --dry-run to print it)");
    driver_report visible;
    visible.gpus = actual.gpus;
    use_driver_gpus(recorded, visible);
    recorded.allowed_threads = recorded.allowed_threads & actual.allowed_threads;
    recorded.cgroup_threads = recorded.cgroup_threads & actual.cgroup_threads;
    recorded.allowed_nodes = recorded.allowed_nodes & actual.allowed_nodes;
    recorded.live = true;
    return recorded;
}

std::string difference(const machine& recorded, const machine& actual)
{
    const auto count = [](const auto& items) { return std::to_string(items.size()); };
    if (recorded.cores.size() != actual.cores.size())
        return "it has " + count(recorded.cores) + " cores and this machine " + count(actual.cores);
    if (recorded.numa_nodes.size() != actual.numa_nodes.size())
        return "it has " + count(recorded.numa_nodes) + " NUMA nodes and this machine " +
               count(actual.numa_nodes);
    for (std::size_t i = 0; i < recorded.cores.size(); ++i)
        if (!(recorded.cores[i].threads == actual.cores[i].threads))
            return "its core " + std::to_string(i) + " has hardware threads " +
                   recorded.cores[i].threads.to_string() + " and this machine's " +
                   actual.cores[i].threads.to_string();
    return "";
}

} // namespace rankfold::topology
