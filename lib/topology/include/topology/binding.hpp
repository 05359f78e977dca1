// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "topology/index_set.hpp"

#include <cstddef>
#include <string>

namespace rankfold::topology {

/// The calling thread's place, as the kernel reports it.
struct binding {
    index_set threads = {};
    index_set memory_nodes = {}; ///< of the memory policy; empty if there is none
};

struct binding_result {
    binding held = {};             ///< read back after binding
    std::string thread_error = {}; ///< empty if the mask holds
    std::string memory_error = {}; ///< empty if the policy holds; it may fail while the mask holds
};

/// Binds the calling thread (and what it starts or executes later) to `wanted` and reads back what holds.
/// Memory comes from the given nodes while they have some, so a full node spills instead of ending the
/// program; where a strict policy was inherited it stays strict.
binding_result bind_thread(const binding& wanted);

/// @throws topology_error if the kernel does not tell the mask
binding read_binding();

/// The memory nodes outside which this thread may not allocate (numactl --membind); empty if there is no such
/// limit.
index_set memory_limit();

/// The mask of another process, such as the one that started this one; empty if the kernel does not tell.
index_set threads_of_process(int pid);

/// NUMA nodes (OS indices) of the pages of a buffer that are already touched; at most 64 pages are looked at.
index_set nodes_of_pages(const void* data, std::size_t bytes);

} // namespace rankfold::topology
