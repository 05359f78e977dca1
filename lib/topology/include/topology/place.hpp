// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "topology/machine.hpp"

#include <optional>
#include <span>

namespace rankfold::topology {

/// What one rank may use before placement; the plan never goes beyond it.
struct rank_limit {
    index_set threads = {}; ///< inherited affinity mask; empty: all that the machine allows
    std::optional<std::vector<std::string>> gpus = {}; ///< ids of the GPUs that it sees; without value: all
};

struct request {
    int ranks = 1;          ///< on this node
    int cores_per_rank = 0; ///< 0: a fair share of the home NUMA node
    bool smt = false;       ///< one OpenMP thread per hardware thread instead of per core
    bool oversubscribe = false;
    bool share_gpus = false;
    std::vector<rank_limit> limits = {}; ///< empty, or one per rank
};

struct placement {
    int gpu = -1;                ///< position in machine::gpus
    int nic = -1;                ///< position in machine::nics
    int home = -1;               ///< position in machine::numa_nodes
    std::vector<int> cores = {}; ///< positions in machine::cores, ascending
    index_set threads = {};      ///< the affinity mask: the permitted threads of those cores
    index_set memory_nodes = {}; ///< OS indices
    int omp_threads = 1;
};

struct plan {
    std::vector<placement> ranks = {};
    std::vector<std::string> notes = {};    ///< what follows from the request: shared cores or GPUs
    std::vector<std::string> warnings = {}; ///< what nobody asked for: unknown locality
};

/// Where each rank of a node goes: a pure function, the same on every rank.
/// 1. GPUs: the nearest to the rank's limit; among equals the least used, then the one on the NUMA node with
///    fewest ranks, then the lowest id. Ranks of equal limits take their GPUs in ascending id.
/// 2. Home: the NUMA node nearest to the GPU that still has a core for the rank; among equals the least
///    loaded.
/// 3. Cores: neighbouring ones of the home, then of the nearest nodes. Whole cores, permitted threads only.
/// @throws topology_error if ranks exceed cores or GPUs and the request does not allow sharing, or a limit is
/// empty
plan place(const machine& where, const request& what);

/// Step 1 alone, for a program that no launcher placed: entry r is the position in `gpus` of rank r's GPU
/// (-1: there is none). `limits` holds one entry per rank of the node, in local rank order, the same on all
/// of them.
std::vector<int> assign_gpus(const machine& where, std::span<const rank_limit> limits);

} // namespace rankfold::topology
