// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "setup/affinity.hpp"

#include "runtime/mpi_check.hpp"
#include "topology/binding.hpp"
#include "topology/describe.hpp"
#include "topology/error.hpp"
#include "topology/load.hpp"
#include "topology/place.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace rankfold::detail {
namespace {

/// Empty where the system does not tell (a container without /sys, say): then nothing is chosen by locality.
topology::machine load_or_empty()
{
    try {
        return topology::load_live();
    } catch (const topology::topology_error&) {
        return {};
    }
}

/// The machine does not change while the process runs, and reading it takes tens of milliseconds.
const topology::machine& this_machine()
{
    static const topology::machine machine = load_or_empty();
    return machine;
}

/// Texts of all ranks of the node, in node rank order. Longer ones are cut.
std::vector<std::string> gather_texts(MPI_Comm node, const std::string& own)
{
    constexpr std::size_t limit = 1024;
    int ranks = 0;
    RANKFOLD_MPI(MPI_Comm_size(node, &ranks));
    std::array<char, limit> text{};
    own.copy(text.data(), limit - 1);
    std::vector<std::array<char, limit>> all(static_cast<std::size_t>(ranks));
    RANKFOLD_MPI(MPI_Allgather(text.data(), limit, MPI_CHAR, all.data(), limit, MPI_CHAR, node));
    std::vector<std::string> texts;
    texts.reserve(all.size());
    for (const auto& t : all) {
        texts.emplace_back(t.data());
    }
    return texts;
}

int cores_with(const topology::machine& machine, const topology::index_set& threads)
{
    if (machine.cores.empty()) {
        return threads.count();
    }
    return static_cast<int>(
        std::count_if(machine.cores.begin(), machine.cores.end(),
                      [&](const topology::core& core) { return core.threads.intersects(threads); }));
}

std::string ids_of(const topology::machine& machine)
{
    std::string ids;
    for (const topology::gpu& gpu : machine.gpus) {
        ids += gpu.id() + " ";
    }
    return ids;
}

} // namespace

core_share share_cores(MPI_Comm node, int omp_threads)
{
    const topology::machine& machine = this_machine();
    const topology::index_set own = topology::threads_of_process(0);
    const std::vector<std::string> masks = gather_texts(node, own.to_string());
    topology::index_set used;
    for (const std::string& mask : masks) {
        used.insert(topology::index_set::parse(mask));
    }
    if (omp_threads > 0) {
        return {omp_threads, false};
    }
    const int cores = std::max(1, cores_with(machine, own));
    const auto same = std::count(masks.begin(), masks.end(), own.to_string());
    const bool idle = !used.contains(machine.cgroup_threads);
    return {std::max(1, cores / static_cast<int>(same)), cores == 1 && idle};
}

int nearest_gpu(MPI_Comm node, int visible_devices)
{
    const topology::machine& machine = this_machine();
    const std::vector<std::string> masks = gather_texts(node, topology::threads_of_process(0).to_string());
    const std::vector<std::string> visible = gather_texts(node, ids_of(machine));
    int rank = 0;
    RANKFOLD_MPI(MPI_Comm_rank(node, &rank));
    const bool all_see_the_same = std::equal(visible.begin() + 1, visible.end(), visible.begin());
    if (visible_devices <= 1 || machine.gpus.empty() || !all_see_the_same) {
        return visible_devices == 0
                   ? -1
                   : rank % visible_devices; // each rank was given its own, or nothing is known
    }
    std::vector<topology::rank_limit> limits;
    limits.reserve(masks.size());
    for (const std::string& mask : masks) {
        limits.push_back({.threads = topology::index_set::parse(mask)});
    }
    const int position = topology::assign_gpus(machine, limits)[static_cast<std::size_t>(rank)];
    return position < 0 ? -1 : machine.gpus[static_cast<std::size_t>(position)].ordinal;
}

std::string describe_locality(int device)
{
    const topology::machine& machine = this_machine();
    const auto gpu = std::find_if(machine.gpus.begin(), machine.gpus.end(),
                                  [&](const topology::gpu& g) { return g.ordinal == device; });
    const int position =
        gpu == machine.gpus.end() || device < 0 ? -1 : static_cast<int>(gpu - machine.gpus.begin());
    const std::array<char, 64> page{}; // a page of this thread's stack
    return topology::describe(machine, topology::threads_of_process(0), position,
                              topology::nodes_of_pages(page.data(), page.size()));
}

} // namespace rankfold::detail
