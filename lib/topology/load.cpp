// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// This machine: hwloc tells cores, memory and the PCI tree, the driver which GPUs this process may use.
#include "topology/load.hpp"

#include "read_machine.hpp"
#include "topology/binding.hpp"
#include "topology/driver.hpp"
#include "topology/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <tuple>

namespace rankfold::topology {
namespace {

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
