// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "affinity.hpp"

#include "check.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sched.h>
#include <string>
#include <vector>

namespace rankfold::detail {
namespace {

/// The lowest hardware thread of the core that `cpu` belongs to; `cpu` itself where the system does not say.
int first_sibling(int cpu)
{
    std::ifstream list("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list");
    int first = cpu;
    list >> first;
    return list ? first : cpu;
}

/// Cores, not hardware threads, of a mask.
int count_cores(const cpu_set_t& mask)
{
    std::vector<int> cores;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &mask)) {
            cores.push_back(first_sibling(cpu));
        }
    }
    std::sort(cores.begin(), cores.end());
    return static_cast<int>(std::unique(cores.begin(), cores.end()) - cores.begin());
}

} // namespace

core_share share_cores(MPI_Comm node, int omp_threads)
{
    int rank = 0;
    int ranks = 0;
    RANKFOLD_MPI(MPI_Comm_rank(node, &rank));
    RANKFOLD_MPI(MPI_Comm_size(node, &ranks));
    cpu_set_t own;
    CPU_ZERO(&own);
    sched_getaffinity(0, sizeof own, &own);
    std::vector<cpu_set_t> masks(static_cast<std::size_t>(ranks));
    RANKFOLD_MPI(MPI_Allgather(&own, sizeof own, MPI_BYTE, masks.data(), sizeof own, MPI_BYTE, node));

    const auto same = std::count_if(masks.begin(), masks.end(), [&](const cpu_set_t& m) { return CPU_EQUAL(&m, &own); });
    cpu_set_t all;
    CPU_ZERO(&all);
    for (const cpu_set_t& mask : masks) {
        CPU_OR(&all, &all, &mask);
    }
    const int cores = std::max(1, count_cores(own));
    // Cores that exist on the node, not only those in some rank's mask: those that no mask holds are the idle ones.
    std::ifstream present("/sys/devices/system/cpu/present");
    int first = 0;
    int last = 0;
    char dash = 0;
    const bool known = static_cast<bool>(present >> first >> dash >> last);
    const bool idle = known && last + 1 > CPU_COUNT(&all);
    if (omp_threads > 0) {
        return {omp_threads, false};
    }
    return {std::max(1, cores / static_cast<int>(same)), cores == 1 && idle};
}

} // namespace rankfold::detail
