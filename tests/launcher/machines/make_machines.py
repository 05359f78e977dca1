#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the hwloc XML files beside this script. They are of no real machine, but shaped like known ones.

A machine is packages of NUMA nodes of cores of hardware threads, numbered as Linux does: first the first thread of every
core, then the second threads. PCI devices hang under the package, the NUMA node or the machine.
"""
import itertools
import pathlib
from xml.sax.saxutils import quoteattr

NVIDIA = "[10de:2330] [10de:16c1] a1"
MELLANOX = "[15b3:1021] [15b3:0023] 00"
OSDEV_GPU, OSDEV_OPENFABRICS = 1, 3


def bitmap(indices):
    """hwloc's form: words of 32 bits, most significant first."""
    value = sum(1 << i for i in indices)
    words = []
    while value or not words:
        words.insert(0, f"0x{value & 0xFFFFFFFF:08x}")
        value >>= 32
    return ",".join(words)


class Writer:
    def __init__(self):
        self.lines = []
        self.ids = itertools.count(1)
        self.nvlink_ids = []

    def open(self, type_name, close=False, **attributes):
        gp_index = next(self.ids)
        text = " ".join(f"{k}={quoteattr(str(v))}" for k, v in attributes.items() if v is not None)
        self.lines.append(f'<object type="{type_name}" {text} gp_index="{gp_index}"{"/" if close else ""}>')
        return gp_index

    def close(self):
        self.lines.append("</object>")

    def info(self, name, value):
        self.lines.append(f'<info name="{name}" value={quoteattr(value)}/>')

    def sets(self, cpus, nodes):
        return {"cpuset": bitmap(cpus), "complete_cpuset": bitmap(cpus),
                "nodeset": bitmap(nodes), "complete_nodeset": bitmap(nodes)}

    def bridge(self, upstream, bus_low, bus_high, depth, own=None):
        attributes = {"bridge_type": f"{0 if upstream == 'host' else 1}-1", "depth": depth,
                      "bridge_pci": f"0000:[{bus_low:02x}-{bus_high:02x}]"}
        if own:
            attributes |= {"pci_busid": own, "pci_type": "0604 [1000:c030] [0000:0000] b0", "pci_link_speed": "0.000000"}
        self.open("Bridge", **attributes)

    def device(self, device):
        """A host bridge, a switch, and below it the devices: (kind, bus, name or uuids)."""
        buses = [bus for _, bus, _ in device]
        low, high = min(buses) - 1, max(buses)
        self.bridge("host", low, high, 0)
        self.bridge("pci", low + 1, high, 1, own=f"0000:{low:02x}:01.0")
        for kind, bus, detail in sorted(device, key=lambda d: d[1]):
            if kind == "deep gpu":
                self.bridge("pci", bus, bus, 2, own=f"0000:{bus - 1:02x}:02.0")
            self.nic(bus, detail) if kind == "nic" else self.gpu(bus, detail)
            if kind == "deep gpu":
                self.close()
        self.close()
        self.close()

    def gpu(self, bus, uuids):
        self.open("PCIDev", pci_busid=f"0000:{bus:02x}:00.0", pci_type=f"0302 {NVIDIA}", pci_link_speed="0.000000")
        for number, uuid in enumerate(uuids):
            gp_index = self.open("OSDev", name=f"nvml{bus:02x}.{number}", subtype="NVML", osdev_type=OSDEV_GPU)
            self.info("NVIDIAUUID", uuid)
            self.close()
            if number == 0:
                self.nvlink_ids.append(gp_index)
        self.close()

    def nic(self, bus, name):
        self.open("PCIDev", pci_busid=f"0000:{bus:02x}:00.0", pci_type=f"0207 {MELLANOX}", pci_link_speed="0.000000")
        self.open("OSDev", name=name, osdev_type=OSDEV_OPENFABRICS)
        self.info("Port1State", "4")
        self.close()
        self.close()


def gpu(bus, *uuids):
    return ("gpu", bus, uuids or (f"GPU-00000000-0000-0000-0000-0000000000{bus:02x}",))


def deep_gpu(bus):
    """Below a bridge of its own, so that it is not at the depth of the NIC behind the same switch."""
    return ("deep gpu", *gpu(bus)[1:])


def nic(bus, name):
    return ("nic", bus, name)


def machine(packages=1, nodes_per_package=1, cores_per_node=4, threads=1, at_node=None, at_machine=(), allowed=None,
            allowed_nodes=None, gpu_memory=(), nvlink=False, distances=None):
    """at_node: {node: [group of devices behind one switch, ...]}; gpu_memory: {package: node number}."""
    at_node = at_node or {}
    gpu_memory = dict(gpu_memory)
    w = Writer()
    cores = packages * nodes_per_package * cores_per_node

    def cpus_of(first_core, count):
        return [t * cores + c for t in range(threads) for c in range(first_core, first_core + count)]

    cpu_nodes = list(range(packages * nodes_per_package))
    nodes = cpu_nodes + sorted(gpu_memory.values())
    everything = cpus_of(0, cores)
    w.open("Machine", os_index=0, **w.sets(everything, nodes),
           allowed_cpuset=bitmap(everything if allowed is None else allowed),
           allowed_nodeset=bitmap(nodes if allowed_nodes is None else allowed_nodes))
    w.info("Backend", "Project-made")
    core = 0
    for p in range(packages):
        mine = cpu_nodes[p * nodes_per_package:(p + 1) * nodes_per_package]
        package_nodes = mine + ([gpu_memory[p]] if p in gpu_memory else [])
        package_cpus = cpus_of(core, nodes_per_package * cores_per_node)
        w.open("Package", os_index=p, **w.sets(package_cpus, package_nodes))
        for extra in [gpu_memory[p]] if p in gpu_memory else []:
            w.open("NUMANode", close=True, os_index=extra, subtype="GPUMemory", local_memory=96 << 30,
                   **w.sets(package_cpus, [extra]))
        for node in mine:
            node_cpus = cpus_of(core, cores_per_node)
            grouped = nodes_per_package > 1
            if grouped:
                w.open("Group", kind=0, subkind=0, **w.sets(node_cpus, [node]))
            w.open("NUMANode", close=True, os_index=node, local_memory=64 << 30, **w.sets(node_cpus, [node]))
            above = [node] if grouped else package_nodes
            for _ in range(cores_per_node):
                w.open("Core", os_index=core, **w.sets(cpus_of(core, 1), above))
                for cpu in cpus_of(core, 1):
                    w.open("PU", close=True, os_index=cpu, **w.sets([cpu], above))
                w.close()
                core += 1
            for devices in at_node.get(node, []):
                w.device(devices)
            if grouped:
                w.close()
        w.close()
    for devices in at_machine:
        w.device(devices)
    w.close()
    if distances:
        w.lines.append(matrix("NUMANode", "os", "NUMALatency", 5, nodes, distances))
    if nvlink:
        n = len(w.nvlink_ids)
        links = [[1000000 if i == j else 450000 for j in range(n)] for i in range(n)]
        w.lines.append(matrix("OSDev", "gp", "NVLinkBandwidth", 9, w.nvlink_ids, links))
    return w.lines


def matrix(kind, indexing, name, flags, ids, values):
    indices = " ".join(str(i) for i in ids) + " "
    numbers = " ".join(str(v) for row in values for v in row) + " "
    return (f'<distances2 type="{kind}" nbobjs="{len(ids)}" kind="{flags}" name="{name}" indexing="{indexing}">\n'
            f'<indexes length="{len(indices)}">{indices}</indexes>\n'
            f'<u64values length="{len(numbers)}">{numbers}</u64values>\n</distances2>')


def latencies(nodes, per_package):
    return [[10 if a == b else 12 if a // per_package == b // per_package else 32 for b in range(nodes)]
            for a in range(nodes)]


def dgx_h100():
    buses = [0x1B, 0x43, 0x52, 0x61, 0x9D, 0xC3, 0xD1, 0xDF]
    names = ["mlx5_0", "mlx5_3", "mlx5_4", "mlx5_5", "mlx5_6", "mlx5_9", "mlx5_10", "mlx5_11"]
    groups = [[nic(bus - 3, name), gpu(bus)] for bus, name in zip(buses, names)]
    return machine(packages=2, cores_per_node=56, threads=2, at_node={0: groups[:4], 1: groups[4:]}, nvlink=True,
                   distances=latencies(2, 1))


def by_nodes(order):
    """GPUs in ascending bus id, near the given nodes."""
    at_node = {}
    for i, node in enumerate(order):
        at_node.setdefault(node, []).append([gpu(0x10 * (i + 1))])
    return machine(packages=2, nodes_per_package=4, cores_per_node=4, threads=2, at_node=at_node,
                   distances=latencies(8, 4))


MACHINES = {
    "dgx-h100": dgx_h100,
    "reversed-numa": lambda: by_nodes([7, 6, 5, 4, 3, 2, 1, 0]),
    "pairs-7531": lambda: by_nodes([7, 7, 5, 5, 3, 3, 1, 1]),
    "one-package": lambda: machine(cores_per_node=16, threads=2, at_node={0: [[gpu(0x10 * i)] for i in range(1, 5)]}),
    "four-sockets": lambda: machine(packages=4, cores_per_node=12,
                                    at_node={p: [[gpu(0x10 + 0x30 * p + 4 * i)] for i in range(6)] for p in range(4)}),
    "grace-hopper": lambda: machine(packages=4, cores_per_node=12, gpu_memory={p: 4 + 8 * p for p in range(4)},
                                    at_node={p: [[gpu(0x09 + 0x30 * p), nic(0x0B + 0x30 * p, f"mlx5_{p}")]]
                                             for p in range(4)}),
    "vm-one-mask": lambda: machine(packages=2, cores_per_node=8, at_node={0: [[gpu(0x10 * i)] for i in range(1, 5)]}),
    "vm-no-locality": lambda: machine(packages=2, cores_per_node=8, at_machine=[[gpu(0x10 * i)] for i in range(1, 5)]),
    "no-gpu": lambda: machine(packages=2, cores_per_node=8, threads=2),
    "one-core": lambda: machine(cores_per_node=1),
    "cgroup-holes": lambda: machine(packages=2, cores_per_node=8, threads=2, allowed=[1, 2, 3, 6, 9, 10, 26],
                                    at_node={0: [[gpu(0x10)]], 1: [[gpu(0x80)]]}),
    "one-thread-each": lambda: machine(cores_per_node=48, threads=2, allowed=range(48)),
    "one-core-allowed": lambda: machine(cores_per_node=48, threads=2, allowed=[0, 48]),
    "deep-switch": lambda: machine(cores_per_node=4, at_node={0: [[nic(0x12, "mlx5_0"), gpu(0x14)],
                                                                  [nic(0x22, "mlx5_1"), deep_gpu(0x25)]]}),
    "mig": lambda: machine(cores_per_node=8,
                           at_node={0: [[gpu(0x10, *(f"MIG-0000000{i}-0000-0000-0000-000000000000" for i in (3, 1, 2)))],
                                        [gpu(0x20)]]}),
}


def main():
    for name, make in MACHINES.items():
        text = "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', '<!DOCTYPE topology SYSTEM "hwloc2.dtd">',
                          '<topology version="2.0">', *make(), "</topology>", ""])
        (pathlib.Path(__file__).parent / f"{name}.xml").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
