// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the groups of equal limits by a map; everything else walks over groups.
#include "limit_groups.hpp"

#include "place_steps.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

namespace rankfold::topology {

limit_groups::limit_groups(const machine& where, std::span<const rank_limit> limits)
{
    std::map<std::pair<index_set, std::optional<std::vector<std::string>>>, std::size_t> known;
    for (const rank_limit& limit : limits) {
        const auto [found, is_new] = known.try_emplace({limit.threads, limit.gpus}, groups_.size());
        if (is_new) {
            groups_.push_back({.limit = &limit, .ranks = {}, .cores = usable_cores(where, limit.threads)});
        }
        groups_[found->second].ranks.push_back(static_cast<int>(ranks()));
        group_of_rank_.push_back(found->second);
    }
}

std::vector<int> limit_groups::by_constraint() const
{
    std::vector<std::tuple<std::size_t, int>> freedom;
    for (const limit_group& group : groups_) {
        const auto& gpus = group.limit->gpus;
        freedom.emplace_back(gpus ? gpus->size() : std::numeric_limits<std::size_t>::max(),
                             group.limit->threads.count());
    }
    std::vector<int> order(ranks());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return freedom[index_of(a)] < freedom[index_of(b)]; });
    return order;
}

void limit_groups::sort_within(std::vector<int>& chosen) const
{
    for (const limit_group& group : groups_) {
        std::vector<int> values;
        for (const int rank : group.ranks) {
            values.push_back(chosen[at(rank)]);
        }
        std::sort(values.begin(), values.end());
        for (std::size_t i = 0; i < values.size(); ++i) {
            chosen[at(group.ranks[i])] = values[i];
        }
    }
}

} // namespace rankfold::topology
