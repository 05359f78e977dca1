// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "place_steps.hpp"

#include <algorithm>
#include <limits>
#include <map>
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
    explicit gpu_chooser(const machine& where)
        : where_(where), uses_(where.gpus.size()), load_(where.numa_nodes.size())
    {
    }

    int choose(const rank_limit& limit)
    {
        std::optional<std::tuple<int, int, int, int>> best; // uses, gap, load, position (ascending id)
        for (const int g : candidates(where_, limit)) {
            const gpu& device = where_.gpus[at(g)];
            const std::tuple<int, int, int, int> cost{uses_[at(g)], gap(where_, limit.threads, device),
                                                      load_near(device), g};
            best = best ? std::min(*best, cost) : cost;
        }
        if (!best)
            return -1;
        const int chosen = std::get<3>(*best);
        ++uses_[at(chosen)];
        for (const int node : where_.nodes_of(where_.gpus[at(chosen)].threads))
            ++load_[at(node)];
        return chosen;
    }

private:
    int load_near(const gpu& device) const
    {
        int most = 0;
        for (const int node : where_.nodes_of(device.threads))
            most = std::max(most, load_[at(node)]);
        return most;
    }

    const machine& where_;
    std::vector<int> uses_; // ranks on each GPU
    std::vector<int> load_; // ranks with a GPU near each NUMA node
};

} // namespace

std::vector<int> by_constraint(std::span<const rank_limit> limits)
{
    std::vector<int> order(limits.size());
    std::iota(order.begin(), order.end(), 0);
    const auto freedom = [&](int rank) {
        const rank_limit& limit = limits[at(rank)];
        const std::size_t gpus = limit.gpus ? limit.gpus->size() : std::numeric_limits<std::size_t>::max();
        return std::tuple(gpus, limit.threads.count());
    };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return freedom(a) < freedom(b); });
    return order;
}

void sort_within_equal_limits(std::span<const rank_limit> limits, std::vector<int>& chosen)
{
    std::map<std::pair<std::string, std::optional<std::vector<std::string>>>, std::vector<int>> groups;
    for (std::size_t rank = 0; rank < limits.size(); ++rank)
        groups[{limits[rank].threads.to_string(), limits[rank].gpus}].push_back(static_cast<int>(rank));
    for (const auto& [limit, ranks] : groups) {
        std::vector<int> values;
        for (const int rank : ranks)
            values.push_back(chosen[at(rank)]);
        std::sort(values.begin(), values.end());
        for (std::size_t i = 0; i < ranks.size(); ++i)
            chosen[at(ranks[i])] = values[i];
    }
}

std::vector<int> assign_gpus(const machine& where, std::span<const rank_limit> limits)
{
    std::vector<int> chosen(limits.size(), -1);
    gpu_chooser chooser(where);
    for (const int rank : by_constraint(limits))
        chosen[at(rank)] = chooser.choose(limits[at(rank)]);
    sort_within_equal_limits(limits, chosen);
    return chosen;
}

} // namespace rankfold::topology
