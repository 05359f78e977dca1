// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "topology/place.hpp"

#include "place_steps.hpp"
#include "topology/error.hpp"

#include <algorithm>
#include <set>

namespace rankfold::topology {
namespace {

std::string plural(int n, const std::string& word)
{
    return std::to_string(n) + " " + word + (n == 1 ? "" : "s");
}

void check_request(const request& what)
{
    if (what.ranks < 1)
        throw topology_error("ranks is " + std::to_string(what.ranks) + ", expected at least 1");
    if (what.cores_per_rank < 0)
        throw topology_error("cores per rank is " + std::to_string(what.cores_per_rank) +
                             ", expected at least 1");
    if (!what.limits.empty() && static_cast<int>(what.limits.size()) != what.ranks)
        throw topology_error(std::to_string(what.limits.size()) + " limits for " +
                             plural(what.ranks, "rank"));
}

void refuse_too_many_for_cores(const machine& where, const request& what, std::span<const rank_limit> limits)
{
    index_set reachable;
    for (const rank_limit& limit : limits)
        reachable.insert(limit.threads);
    const int cores = static_cast<int>(usable_cores(where, reachable).size());
    const long long wanted = static_cast<long long>(what.ranks) * std::max(1, what.cores_per_rank);
    if (wanted <= cores || what.oversubscribe)
        return;
    const std::string each =
        what.cores_per_rank > 1 ? " of " + plural(what.cores_per_rank, "core") + " each" : std::string();
    throw topology_error(plural(what.ranks, "rank") + each + " on " + where.source + ", where " +
                         plural(cores, "core") + (cores == 1 ? " is" : " are") +
                         " usable (hardware threads " + reachable.to_string() + "): start at most " +
                         std::to_string(std::max(1, cores / std::max(1, what.cores_per_rank))) +
                         ", or pass --oversubscribe to share cores");
}

void refuse_shared_gpus(const machine& where, const request& what, std::span<const int> gpus)
{
    std::vector<int> first_user(where.gpus.size(), -1);
    for (int rank = 0; rank < what.ranks; ++rank) {
        if (gpus[at(rank)] < 0)
            continue;
        int& user = first_user[at(gpus[at(rank)])];
        if (user >= 0 && !what.share_gpus)
            throw topology_error(
                plural(what.ranks, "rank") + " on " + plural(static_cast<int>(where.gpus.size()), "GPU") +
                ": ranks " + std::to_string(user) + " and " + std::to_string(rank) + " would share " +
                where.gpus[at(gpus[at(rank)])].id() + "; start one rank per GPU, or pass --share-gpus");
        user = rank;
    }
}

placement describe_rank(const machine& where, const request& what, const rank_limit& limit,
                        std::vector<int> cores)
{
    placement rank;
    for (const int c : cores) {
        const core& its = where.cores[at(c)];
        rank.threads.insert(its.threads & limit.threads);
        if (its.numa >= 0 && where.allowed_nodes.contains(where.numa_nodes[at(its.numa)].os_index))
            rank.memory_nodes.insert(where.numa_nodes[at(its.numa)].os_index);
    }
    if (rank.memory_nodes.empty())
        rank.memory_nodes = where.allowed_nodes;
    rank.omp_threads = what.smt ? rank.threads.count() : static_cast<int>(cores.size());
    rank.cores = std::move(cores);
    return rank;
}

void note_sharing(const machine& where, plan& result)
{
    std::vector<int> core_users(where.cores.size());
    std::vector<int> gpu_users(where.gpus.size());
    for (const placement& rank : result.ranks) {
        for (const int c : rank.cores)
            ++core_users[at(c)];
        if (rank.gpu >= 0)
            ++gpu_users[at(rank.gpu)];
    }
    if (const int most = *std::max_element(core_users.begin(), core_users.end()); most > 1)
        result.notes.push_back("cores are shared: up to " + plural(most, "rank") + " on one core");
    for (std::size_t g = 0; g < gpu_users.size(); ++g)
        if (gpu_users[g] > 1)
            result.notes.push_back("GPU " + where.gpus[g].id() + " is shared by " +
                                   plural(gpu_users[g], "rank"));
}

void note_locality(const machine& where, plan& result)
{
    std::set<std::string> distinct;
    for (const gpu& g : where.gpus) {
        if (g.threads.empty() && where.numa_nodes.size() > 1) {
            result.warnings.push_back(
                "GPU locality unknown: the PCI tree does not say near which NUMA node the GPUs are, so "
                "cores are not chosen by it");
            return;
        }
        distinct.insert(g.threads.to_string());
    }
    if (where.gpus.size() > 1 && distinct.size() == 1 &&
        where.nodes_of(where.gpus[0].threads).size() < where.numa_nodes.size())
        result.notes.push_back(
            "all GPUs report hardware threads " + *distinct.begin() +
            " as near, as virtual machines often do; cores elsewhere stay idle unless needed");
}

void note_far_cores(const machine& where, plan& result)
{
    for (std::size_t r = 0; r < result.ranks.size(); ++r) {
        const placement& rank = result.ranks[r];
        if (rank.gpu < 0)
            continue;
        const index_set& near = where.gpus[at(rank.gpu)].threads;
        if (!near.empty() && !near.contains(rank.threads))
            result.notes.push_back("rank " + std::to_string(r) +
                                   " has cores that are not near its GPU: too few there");
    }
}

} // namespace

plan place(const machine& where, const request& what)
{
    check_request(what);
    const std::vector<rank_limit> limits = effective_limits(where, what);
    refuse_too_many_for_cores(where, what, limits);
    const limit_groups groups(where, limits);
    const std::vector<int> gpus = assign_gpus(where, groups);
    refuse_shared_gpus(where, what, gpus);
    const std::vector<int> homes = assign_homes(where, what, groups, gpus);
    std::vector<std::vector<int>> cores = assign_cores(where, what, groups, homes);
    const std::vector<int> nics = assign_nics(where, gpus, homes);

    plan result;
    for (int rank = 0; rank < what.ranks; ++rank) {
        result.ranks.push_back(describe_rank(where, what, limits[at(rank)], std::move(cores[at(rank)])));
        result.ranks.back().gpu = gpus[at(rank)];
        result.ranks.back().nic = nics[at(rank)];
        result.ranks.back().home = homes[at(rank)];
    }
    note_sharing(where, result);
    note_locality(where, result);
    note_far_cores(where, result);
    return result;
}

} // namespace rankfold::topology
