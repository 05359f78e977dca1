// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks of equal limits. Most ranks of a node have the same, so what follows from limits is worked out once
// for each group, not once for each rank.
#pragma once

#include "topology/place.hpp"

namespace rankfold::topology {

struct limit_group {
    const rank_limit* limit = nullptr;
    std::vector<int> ranks; ///< ascending
    std::vector<int> cores; ///< positions of the cores that have a permitted thread
};

class limit_groups {
public:
    /// Keeps references to `limits`, which must outlive it.
    limit_groups(const machine& where, std::span<const rank_limit> limits);

    std::size_t ranks() const { return group_of_rank_.size(); }
    std::size_t size() const { return groups_.size(); }
    const limit_group& operator[](std::size_t group) const { return groups_[group]; }
    std::size_t index_of(int rank) const { return group_of_rank_[static_cast<std::size_t>(rank)]; }
    const limit_group& of(int rank) const { return groups_[index_of(rank)]; }

    /// Ranks from the most to the least constrained, so that a rank with few choices gets one of them.
    std::vector<int> by_constraint() const;

    /// Among ranks of one group, hands out the chosen values in ascending order of rank.
    void sort_within(std::vector<int>& chosen) const;

private:
    std::vector<limit_group> groups_;
    std::vector<std::size_t> group_of_rank_;
};

} // namespace rankfold::topology
