// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which cores each rank gets. 1. Each rank takes its share of the best cores that are left for it. 2. If some
// rank finds too few, one core each is matched so that as many ranks as possible have one.
#include "place_steps.hpp"
#include "topology/error.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>

namespace rankfold::topology {
namespace {

// Hands out cores; a core with a user is free only when cores may be shared, and then the least used of a
// node come first.
class core_pool {
public:
    core_pool(const machine& where, const limit_groups& groups, bool shared)
        : where_(where), groups_(groups), shared_(shared), users_(where.cores.size())
    {
    }

    std::vector<int> take(int rank, int home, int wanted)
    {
        queue& best_first = queue_of(groups_.index_of(rank), home);
        std::vector<choice> taken;
        while (taken.size() < at(wanted) && !best_first.empty()) {
            choice next = best_first.top();
            best_first.pop();
            if (next.users == users_[at(next.core)]) {
                taken.push_back(next);
            } else if (shared_) { // others have taken it since: it belongs further back
                next.users = users_[at(next.core)];
                best_first.push(next);
            }
        }
        std::vector<int> cores;
        for (choice& each : taken) {
            each.users = ++users_[at(each.core)];
            cores.push_back(each.core);
            if (shared_) {
                best_first.push(each);
            }
        }
        std::sort(cores.begin(), cores.end());
        return cores;
    }

private:
    struct choice {
        int distance; // from the home
        int users;    // when it was put into the queue; users only become more
        int core;
        auto operator<=>(const choice&) const = default;
    };
    using queue = std::priority_queue<choice, std::vector<choice>, std::greater<>>;

    queue& queue_of(std::size_t group, int home)
    {
        const auto [found, is_new] = queues_.try_emplace({group, home});
        for (const int c : is_new ? groups_[group].cores : std::vector<int>()) {
            if (shared_ || users_[at(c)] == 0) {
                found->second.push({where_.distance(home, where_.cores[at(c)].numa), users_[at(c)], c});
            }
        }
        return found->second;
    }

    const machine& where_;
    const limit_groups& groups_;
    bool shared_;
    std::vector<int> users_;
    std::map<std::pair<std::size_t, int>, queue> queues_;
};

// Kuhn's augmenting paths: gives each rank one core if any assignment can. Ranks with odd, overlapping masks
// need it.
class matching {
public:
    matching(const machine& where, const limit_groups& groups)
        : groups_(groups), owner_(where.cores.size(), -1)
    {
    }

    bool give(int rank)
    {
        visited_.assign(owner_.size(), false);
        return augment(rank);
    }

    std::vector<std::vector<int>> cores() const
    {
        std::vector<std::vector<int>> result(groups_.ranks());
        for (std::size_t c = 0; c < owner_.size(); ++c) {
            if (owner_[c] >= 0) {
                result[at(owner_[c])].push_back(static_cast<int>(c));
            }
        }
        return result;
    }

private:
    bool augment(int rank)
    {
        for (const int c : groups_.of(rank).cores) {
            if (visited_[at(c)]) {
                continue;
            }
            visited_[at(c)] = true;
            if (owner_[at(c)] < 0 || augment(owner_[at(c)])) {
                owner_[at(c)] = rank;
                return true;
            }
        }
        return false;
    }

    const limit_groups& groups_;
    std::vector<int> owner_;
    std::vector<bool> visited_;
};

std::vector<std::vector<int>> match_one_core_each(const machine& where, const limit_groups& groups)
{
    matching match(where, groups);
    for (int rank = 0; rank < static_cast<int>(groups.ranks()); ++rank) {
        if (!match.give(rank)) {
            throw topology_error(
                "rank " + std::to_string(rank) + " may use hardware threads " +
                groups.of(rank).limit->threads.to_string() +
                " only, and other ranks need the cores there: change the starter's binding, or pass "
                "--oversubscribe to share cores");
        }
    }
    return match.cores();
}

// Cores a rank takes at its home when none were asked for: an equal share for the ranks that compete there.
class fair_share {
public:
    fair_share(const machine& where, const limit_groups& groups, std::span<const int> homes)
        : where_(where), groups_(groups), homes_(homes), residents_(groups.size())
    {
        for (int rank = 0; rank < static_cast<int>(homes.size()); ++rank) {
            ++residents_[groups.index_of(rank)][homes[at(rank)]];
        }
    }

    int of(int rank)
    {
        const auto [found, is_new] = shares_.try_emplace({groups_.index_of(rank), homes_[at(rank)]});
        if (is_new) {
            found->second = share(groups_.of(rank), homes_[at(rank)]);
        }
        return found->second;
    }

private:
    int share(const limit_group& mine, int home) const
    {
        int competing = 0;
        for (std::size_t other = 0; other < groups_.size(); ++other) {
            const auto there = residents_[other].find(home);
            if (there != residents_[other].end() &&
                groups_[other].limit->threads.intersects(mine.limit->threads)) {
                competing += there->second;
            }
        }
        const auto cores = std::count_if(mine.cores.begin(), mine.cores.end(),
                                         [&](int c) { return where_.cores[at(c)].numa == home; });
        return std::max(1, static_cast<int>(cores) / competing);
    }

    const machine& where_;
    const limit_groups& groups_;
    std::span<const int> homes_;
    std::vector<std::map<int, int>> residents_; // of each group, by home
    std::map<std::pair<std::size_t, int>, int> shares_;
};

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
                                           const limit_groups& groups, std::span<const int> homes)
{
    const int least = std::max(1, what.cores_per_rank);
    core_pool pool(where, groups, what.oversubscribe);
    fair_share shares(where, groups, homes);
    std::vector<std::vector<int>> result(groups.ranks());
    bool complete = true;
    for (const int rank : groups.by_constraint()) {
        const int wanted = what.cores_per_rank > 0 ? what.cores_per_rank : shares.of(rank);
        result[at(rank)] = pool.take(rank, homes[at(rank)], wanted);
        complete = complete && static_cast<int>(result[at(rank)].size()) >= std::min(least, wanted);
    }
    if (complete) {
        return result;
    }
    if (what.cores_per_rank > 1) {
        refuse_cores_per_rank(what, result);
    }
    return match_one_core_each(where, groups);
}

} // namespace rankfold::topology
