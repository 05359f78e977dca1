// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "load_devices.hpp"

#include "nvlink_groups.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <tuple>

namespace rankfold::topology {
namespace {

constexpr unsigned nvidia = 0x10de;
constexpr unsigned display_class = 0x03;
constexpr unsigned network_class = 0x02;
constexpr const char* active_port = "4"; // IBV_PORT_ACTIVE

std::string bus_id_of(hwloc_obj_t pci)
{
    const auto& at = pci->attr->pcidev;
    char text[32];
    std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", static_cast<unsigned>(at.domain), at.bus, at.dev,
                  at.func);
    return text;
}

std::vector<int> bridges_above(hwloc_obj_t device)
{
    std::vector<int> path;
    for (hwloc_obj_t at = device->parent; at != nullptr && at->type == HWLOC_OBJ_BRIDGE; at = at->parent)
        path.insert(path.begin(), static_cast<int>(at->gp_index));
    return path;
}

// A device hung directly under a machine of several NUMA nodes says nothing about where it is.
index_set threads_near(hwloc_topology_t topology, hwloc_obj_t device)
{
    const hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(topology, device);
    const bool unknown =
        near == nullptr || near->cpuset == nullptr ||
        (near->type == HWLOC_OBJ_MACHINE && hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE) > 1);
    return unknown ? index_set() : to_index_set(near->cpuset);
}

bool is_class(hwloc_obj_t pci, unsigned base)
{
    return (pci->attr->pcidev.class_id >> 8) == base;
}

std::string info(hwloc_obj_t object, const char* name)
{
    const char* value = hwloc_obj_get_info_by_name(object, name);
    return value == nullptr ? "" : value;
}

template <class Visit>
void for_each_os_device(hwloc_obj_t pci, Visit visit)
{
    for (hwloc_obj_t child = pci->io_first_child; child != nullptr; child = child->next_sibling)
        if (child->type == HWLOC_OBJ_OS_DEVICE)
            visit(child);
}

void add_gpus(hwloc_topology_t topology, hwloc_obj_t pci, std::vector<gpu>& gpus)
{
    gpu whole{
        .bus_id = bus_id_of(pci), .threads = threads_near(topology, pci), .pci_path = bridges_above(pci)};
    whole.name = info(pci, "PCIDevice");
    std::vector<gpu> slices;
    for_each_os_device(pci, [&](hwloc_obj_t device) {
        const std::string uuid = info(device, "NVIDIAUUID");
        if (uuid.starts_with("MIG-")) {
            slices.push_back(whole);
            slices.back().mig = true;
            slices.back().uuid = uuid;
        } else if (!uuid.empty()) {
            whole.uuid = uuid;
        }
    });
    if (slices.empty())
        slices.push_back(whole);
    gpus.insert(gpus.end(), slices.begin(), slices.end());
}

hwloc_obj_t pci_of(hwloc_obj_t object)
{
    while (object != nullptr && object->type != HWLOC_OBJ_PCI_DEVICE)
        object = object->parent;
    return object;
}

// The matrix may hold NVSwitches too: they join the GPUs behind them.
std::map<std::string, int> groups_by_bus_id(const hwloc_distances_s& matrix)
{
    const std::size_t n = matrix.nbobjs;
    std::vector<std::vector<bool>> linked(n, std::vector<bool>(n));
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            linked[i][j] = i != j && matrix.values[i * n + j] > 0;
    const std::vector<int> groups = nvlink_groups(linked);
    std::map<std::string, int> result;
    for (std::size_t i = 0; i < n; ++i)
        if (const hwloc_obj_t pci = pci_of(matrix.objs[i]); pci != nullptr)
            result[bus_id_of(pci)] = groups[i];
    return result;
}

void read_nvlink(hwloc_topology_t topology, std::vector<gpu>& gpus)
{
    unsigned found = 1;
    hwloc_distances_s* matrix = nullptr;
    if (hwloc_distances_get_by_name(topology, "NVLinkBandwidth", &found, &matrix, 0) != 0 || found == 0)
        return;
    const std::map<std::string, int> groups = groups_by_bus_id(*matrix);
    hwloc_distances_release(topology, matrix);
    for (gpu& g : gpus)
        if (const auto at = groups.find(g.bus_id); at != groups.end())
            g.nvlink_group = at->second;
}

} // namespace

std::vector<gpu> pci_gpus(hwloc_topology_t topology)
{
    std::vector<gpu> gpus;
    for (hwloc_obj_t pci = nullptr; (pci = hwloc_get_next_pcidev(topology, pci)) != nullptr;)
        if (pci->attr->pcidev.vendor_id == nvidia && is_class(pci, display_class))
            add_gpus(topology, pci, gpus);
    read_nvlink(topology, gpus);
    std::sort(gpus.begin(), gpus.end(), [](const gpu& a, const gpu& b) {
        return std::tie(a.bus_id, a.uuid) < std::tie(b.bus_id, b.uuid);
    });
    return gpus;
}

std::vector<nic> pci_nics(hwloc_topology_t topology)
{
    std::vector<nic> nics;
    for (hwloc_obj_t pci = nullptr; (pci = hwloc_get_next_pcidev(topology, pci)) != nullptr;) {
        if (!is_class(pci, network_class))
            continue;
        nic found{
            .bus_id = bus_id_of(pci), .threads = threads_near(topology, pci), .pci_path = bridges_above(pci)};
        for_each_os_device(pci, [&](hwloc_obj_t device) {
            const bool rdma = device->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS;
            const std::string state = info(device, "Port1State");
            if (device->name == nullptr || (!rdma && found.rdma) ||
                (rdma && !state.empty() && state != active_port))
                return;
            found.name = device->name;
            found.rdma = rdma;
        });
        if (!found.name.empty())
            nics.push_back(found);
    }
    std::sort(nics.begin(), nics.end(), [](const nic& a, const nic& b) {
        return std::tie(a.bus_id, a.name) < std::tie(b.bus_id, b.name);
    });
    return nics;
}

} // namespace rankfold::topology
