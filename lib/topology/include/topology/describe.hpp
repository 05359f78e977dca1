// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "topology/binding.hpp"
#include "topology/machine.hpp"

namespace rankfold::topology {

/// How a rank sits with respect to its GPU (or, without one, to its own cores).
struct locality {
    index_set thread_nodes = {}; ///< OS indices of the NUMA nodes of the threads
    index_set device_nodes = {}; ///< of the GPU; empty if unknown
    index_set page_nodes = {};   ///< of the looked-at pages; empty if none
    int distance = 0; ///< from the farthest of the rank's threads to the GPU, 10 is local; 0 if unknown
    bool threads_local = false;
    bool pages_local = false;
};

/// @param device position in where.gpus, -1 for none
/// @param pages from nodes_of_pages, may be empty
locality locate(const machine& where, const index_set& threads, int device, const index_set& pages);

/// One line: "GPU 0000:3b:00.0 NUMA 0, threads 0-7 NUMA 0 (local, distance 10), pages NUMA 0 (local)".
std::string describe(const machine& where, const index_set& threads, int device, const index_set& pages);

} // namespace rankfold::topology
