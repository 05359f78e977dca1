// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "place_steps.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>

namespace rankfold::topology {
namespace {

std::vector<int> candidates(const machine& where, const rank_limit& limit)
{
    std::vector<int> result;
    if (!limit.gpus) {
        result.resize(where.gpus.size());
        std::iota(result.begin(), result.end(), 0);
        return result;
    }
    for (const std::string& id : *limit.gpus)
        if (const int g = where.find_gpu(id); g >= 0)
            result.push_back(g);
    return result;
}

// How far a rank's threads are from a GPU: 0 if some are near it, or nobody knows, else the distance of the
// nodes.
int gap(const machine& where, const index_set& threads, const gpu& device)
{
    if (device.threads.empty() || threads.empty() || threads.intersects(device.threads))
        return 0;
    int nearest = std::numeric_limits<int>::max();
    for (const int a : where.nodes_of(threads))
        for (const int b : where.nodes_of(device.threads))
            nearest = std::min(nearest, where.distance(a, b));
    return nearest;
}

class gpu_chooser {
public:
    gpu_chooser(const machine& where, const limit_groups& groups)
        : where_(where), uses_(where.gpus.size()), load_(where.numa_nodes.size())
    {
        for (const gpu& device : where.gpus) {
            near_.push_back(where.nodes_of(device.threads));
        }
        for (std::size_t group = 0; group < groups.size(); ++group) {
            add_choices(*groups[group].limit);
        }
    }

    int choose(std::size_t group)
    {
        std::optional<std::tuple<int, int, int, int>> best; // uses, gap, load, position (ascending id)
        for (const auto& [g, gap] : choices_[group]) {
            const std::tuple<int, int, int, int> cost{uses_[at(g)], gap, load_near(g), g};
            best = best ? std::min(*best, cost) : cost;
        }
        if (!best) {
            return -1;
        }
        const int chosen = std::get<3>(*best);
        ++uses_[at(chosen)];
        for (const int node : near_[at(chosen)]) {
            ++load_[at(node)];
        }
        return chosen;
    }

private:
    struct choice {
        int gpu;
        int gap;
    };

    void add_choices(const rank_limit& limit)
    {
        choices_.emplace_back();
        for (const int g : candidates(where_, limit)) {
            choices_.back().push_back({g, gap(where_, limit.threads, where_.gpus[at(g)])});
        }
    }

    int load_near(int device) const
    {
        int most = 0;
        for (const int node : near_[at(device)]) {
            most = std::max(most, load_[at(node)]);
        }
        return most;
    }

    const machine& where_;
    std::vector<std::vector<int>> near_;       // NUMA nodes near each GPU
    std::vector<std::vector<choice>> choices_; // of each group of ranks
    std::vector<int> uses_;                    // ranks on each GPU
    std::vector<int> load_;                    // ranks with a GPU near each NUMA node
};

} // namespace

std::vector<int> assign_gpus(const machine& where, const limit_groups& groups)
{
    std::vector<int> chosen(groups.ranks(), -1);
    gpu_chooser chooser(where, groups);
    for (const int rank : groups.by_constraint()) {
        chosen[at(rank)] = chooser.choose(groups.index_of(rank));
    }
    groups.sort_within(chosen);
    return chosen;
}

std::vector<int> assign_gpus(const machine& where, std::span<const rank_limit> limits)
{
    return assign_gpus(where, limit_groups(where, limits));
}

} // namespace rankfold::topology
