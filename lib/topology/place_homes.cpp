// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "place_steps.hpp"
#include "topology/error.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

namespace rankfold::topology {
namespace {

class home_chooser {
public:
    home_chooser(const machine& where, const request& what, const limit_groups& groups)
        : where_(where), per_rank_(std::max(1, what.cores_per_rank)), residents_(where.numa_nodes.size())
    {
        for (const gpu& device : where.gpus) {
            near_.push_back(where.nodes_of(device.threads));
        }
        for (std::size_t group = 0; group < groups.size(); ++group) {
            add_choices(groups[group]);
        }
    }

    int choose(std::size_t group, int gpu)
    {
        // full, distance from the GPU, load (compared as a fraction), position
        std::optional<std::tuple<bool, int, double, int>> best;
        for (const auto& [node, cores] : choices_[group]) {
            const int after = (residents_[at(node)] + 1) * per_rank_;
            const std::tuple<bool, int, double, int> cost{after > cores, distance_to(gpu, node),
                                                          static_cast<double>(after) / cores, node};
            best = best ? std::min(*best, cost) : cost;
        }
        if (!best) {
            return -1;
        }
        ++residents_[at(std::get<3>(*best))];
        return std::get<3>(*best);
    }

private:
    struct choice {
        int node;
        int cores; // that the ranks of the group may use there, at least 1
    };

    void add_choices(const limit_group& group)
    {
        std::vector<int> cores(where_.numa_nodes.size());
        for (const int c : group.cores) {
            if (const int node = where_.cores[at(c)].numa; node >= 0) {
                ++cores[at(node)];
            }
        }
        choices_.emplace_back();
        for (const int node : where_.nodes_of(group.limit->threads)) {
            choices_.back().push_back({node, std::max(1, cores[at(node)])});
        }
    }

    int distance_to(int gpu, int node) const
    {
        if (gpu < 0 || where_.gpus[at(gpu)].threads.empty()) {
            return 0;
        }
        int nearest = std::numeric_limits<int>::max();
        for (const int near : near_[at(gpu)]) {
            nearest = std::min(nearest, where_.distance(near, node));
        }
        return nearest;
    }

    const machine& where_;
    int per_rank_;
    std::vector<std::vector<int>> near_;       // NUMA nodes near each GPU
    std::vector<std::vector<choice>> choices_; // of each group of ranks
    std::vector<int> residents_;
};

// Bridges shared by two devices, from the root: more means nearer on the PCI tree.
int shared_bridges(const std::vector<int>& a, const std::vector<int>& b)
{
    const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
    return static_cast<int>(end - a.begin());
}

int distance_of_nic(const machine& where, const nic& device, int home)
{
    int nearest = device.threads.empty() ? 0 : std::numeric_limits<int>::max();
    for (const int node : where.nodes_of(device.threads))
        nearest = std::min(nearest, where.distance(node, home));
    return nearest;
}

} // namespace

std::vector<int> usable_cores(const machine& where, const index_set& threads)
{
    std::vector<int> result;
    for (int c = 0; c < static_cast<int>(where.cores.size()); ++c)
        if (where.cores[at(c)].threads.intersects(threads))
            result.push_back(c);
    return result;
}

std::vector<rank_limit> effective_limits(const machine& where, const request& what)
{
    index_set all;
    for (const core& each : where.cores) {
        all.insert(each.threads);
    }
    std::vector<rank_limit> limits = what.limits;
    limits.resize(at(what.ranks));
    for (std::size_t rank = 0; rank < limits.size(); ++rank) {
        const index_set inherited = std::move(limits[rank].threads);
        limits[rank].threads = inherited.empty() ? where.allowed_threads : inherited & where.allowed_threads;
        if (!limits[rank].threads.intersects(all)) {
            throw topology_error("rank " + std::to_string(rank) + " may use no core of " + where.source +
                                 ": its inherited mask is '" + inherited.to_string() +
                                 "' and the machine permits '" + where.allowed_threads.to_string() +
                                 "'; widen the cgroup (cpuset.cpus) or the mask it is started with");
        }
    }
    return limits;
}

std::vector<int> assign_homes(const machine& where, const request& what, const limit_groups& groups,
                              std::span<const int> gpus)
{
    home_chooser chooser(where, what, groups);
    std::vector<int> homes(groups.ranks(), -1);
    for (const int rank : groups.by_constraint()) {
        homes[at(rank)] = chooser.choose(groups.index_of(rank), gpus[at(rank)]);
    }
    const auto says_nothing = [&](int g) { return g < 0 || where.gpus[at(g)].threads.empty(); };
    if (std::all_of(gpus.begin(), gpus.end(), says_nothing)) {
        groups.sort_within(homes); // no GPU ties a rank to a node: neighbours sit together
    }
    return homes;
}

std::vector<int> assign_nics(const machine& where, std::span<const int> gpus, std::span<const int> homes)
{
    std::vector<int> uses(where.nics.size());
    std::vector<int> chosen(homes.size(), -1);
    for (std::size_t rank = 0; rank < homes.size(); ++rank) {
        std::optional<std::tuple<bool, int, int, int, int>>
            best; // not rdma, -shared bridges, distance, uses, position
        for (int n = 0; n < static_cast<int>(where.nics.size()); ++n) {
            const nic& device = where.nics[at(n)];
            const int shared =
                gpus[rank] < 0 ? 0 : shared_bridges(where.gpus[at(gpus[rank])].pci_path, device.pci_path);
            const std::tuple<bool, int, int, int, int> cost{
                !device.rdma, -shared, distance_of_nic(where, device, homes[rank]), uses[at(n)], n};
            best = best ? std::min(*best, cost) : cost;
        }
        if (best)
            ++uses[at(chosen[rank] = std::get<4>(*best))];
    }
    return chosen;
}

} // namespace rankfold::topology
