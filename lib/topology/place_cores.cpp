// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "place_steps.hpp"
#include "topology/error.hpp"

#include <algorithm>
#include <numeric>

namespace rankfold::topology {
namespace {

// Hands out cores; a core with a user is free only when cores may be shared, and then the least used of a
// node come first.
class core_pool {
public:
    core_pool(const machine& where, const request& what, std::span<const rank_limit> limits)
        : where_(where), what_(what), limits_(limits), users_(where.cores.size())
    {
    }

    std::vector<int> take(int rank, int home, int wanted)
    {
        std::vector<int> cores = usable_cores(where_, limits_[at(rank)].threads);
        if (!what_.oversubscribe)
            std::erase_if(cores, [&](int c) { return users_[at(c)] > 0; });
        std::stable_sort(cores.begin(), cores.end(),
                         [&](int a, int b) { return cost(a, home) < cost(b, home); });
        cores.resize(std::min(cores.size(), at(wanted)));
        std::sort(cores.begin(), cores.end());
        for (const int c : cores)
            ++users_[at(c)];
        return cores;
    }

private:
    std::pair<int, int> cost(int c, int home) const
    {
        return {where_.distance(home, where_.cores[at(c)].numa), users_[at(c)]};
    }

    const machine& where_;
    const request& what_;
    std::span<const rank_limit> limits_;
    std::vector<int> users_;
};

// Kuhn's augmenting paths: gives each rank one core if any assignment can. Ranks with odd, overlapping masks
// need it.
class matching {
public:
    matching(const machine& where, std::span<const rank_limit> limits) : owner_(where.cores.size(), -1)
    {
        for (const rank_limit& limit : limits)
            choices_.push_back(usable_cores(where, limit.threads));
    }

    bool give(int rank)
    {
        visited_.assign(owner_.size(), false);
        return augment(rank);
    }

    std::vector<std::vector<int>> cores() const
    {
        std::vector<std::vector<int>> result(choices_.size());
        for (std::size_t c = 0; c < owner_.size(); ++c)
            if (owner_[c] >= 0)
                result[at(owner_[c])].push_back(static_cast<int>(c));
        return result;
    }

private:
    bool augment(int rank)
    {
        for (const int c : choices_[at(rank)]) {
            if (visited_[at(c)])
                continue;
            visited_[at(c)] = true;
            if (owner_[at(c)] < 0 || augment(owner_[at(c)])) {
                owner_[at(c)] = rank;
                return true;
            }
        }
        return false;
    }

    std::vector<std::vector<int>> choices_;
    std::vector<int> owner_;
    std::vector<bool> visited_;
};

std::vector<std::vector<int>> match_one_core_each(const machine& where, std::span<const rank_limit> limits)
{
    matching match(where, limits);
    for (int rank = 0; rank < static_cast<int>(limits.size()); ++rank)
        if (!match.give(rank))
            throw topology_error(
                "rank " + std::to_string(rank) + " may use hardware threads " +
                limits[at(rank)].threads.to_string() +
                " only, and other ranks need the cores there: change the starter's binding, or pass "
                "--oversubscribe to share cores");
    return match.cores();
}

// Cores a rank takes at its home when none were asked for: an equal share for the ranks that compete there.
int fair_share(const machine& where, std::span<const rank_limit> limits, std::span<const int> homes, int rank)
{
    const index_set& mine = limits[at(rank)].threads;
    int residents = 0;
    for (std::size_t other = 0; other < homes.size(); ++other)
        residents += homes[other] == homes[at(rank)] && limits[other].threads.intersects(mine) ? 1 : 0;
    int cores = 0;
    for (const int c : usable_cores(where, mine))
        cores += where.cores[at(c)].numa == homes[at(rank)] ? 1 : 0;
    return std::max(1, cores / residents);
}

[[noreturn]] void refuse_cores_per_rank(const request& what, const std::vector<std::vector<int>>& cores)
{
    const auto shortest = std::min_element(cores.begin(), cores.end(),
                                           [](const auto& a, const auto& b) { return a.size() < b.size(); });
    throw topology_error("rank " + std::to_string(shortest - cores.begin()) + " finds " +
                         std::to_string(shortest->size()) + " of the " + std::to_string(what.cores_per_rank) +
                         " cores asked for inside its mask: lower --cores-per-rank" +
                         (what.oversubscribe ? "" : ", or pass --oversubscribe to share cores"));
}

} // namespace

std::vector<std::vector<int>> assign_cores(const machine& where, const request& what,
                                           std::span<const rank_limit> limits, std::span<const int> homes)
{
    const int least = std::max(1, what.cores_per_rank);
    core_pool pool(where, what, limits);
    std::vector<std::vector<int>> result(limits.size());
    bool complete = true;
    for (const int rank : by_constraint(limits)) {
        const int wanted =
            what.cores_per_rank > 0 ? what.cores_per_rank : fair_share(where, limits, homes, rank);
        result[at(rank)] = pool.take(rank, homes[at(rank)], wanted);
        complete = complete && static_cast<int>(result[at(rank)].size()) >= std::min(least, wanted);
    }
    if (complete)
        return result;
    if (what.cores_per_rank > 1)
        refuse_cores_per_rank(what, result);
    return match_one_core_each(where, limits);
}

} // namespace rankfold::topology
