// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "nvlink_groups.hpp"

namespace rankfold::topology {
namespace {

void spread(const std::vector<std::vector<bool>>& linked, std::size_t from, int group,
            std::vector<int>& groups)
{
    groups[from] = group;
    for (std::size_t to = 0; to < linked.size(); ++to)
        if (groups[to] < 0 && to != from && (linked[from][to] || linked[to][from]))
            spread(linked, to, group, groups);
}

bool has_link(const std::vector<std::vector<bool>>& linked, std::size_t i)
{
    for (std::size_t j = 0; j < linked.size(); ++j)
        if (j != i && (linked[i][j] || linked[j][i]))
            return true;
    return false;
}

} // namespace

std::vector<int> nvlink_groups(const std::vector<std::vector<bool>>& linked)
{
    std::vector<int> groups(linked.size(), -1);
    int next = 0;
    for (std::size_t i = 0; i < linked.size(); ++i)
        if (groups[i] < 0 && has_link(linked, i))
            spread(linked, i, next++, groups);
    return groups;
}

} // namespace rankfold::topology
