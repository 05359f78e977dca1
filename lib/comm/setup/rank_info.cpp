// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "setup/rank_info.hpp"

#include <algorithm>

namespace rankfold::detail {

int node_layout::index_of(int rank) const noexcept
{
    return static_cast<int>(std::find(rank_at.begin(), rank_at.end(), rank) - rank_at.begin());
}

node_layout lay_out_nodes(const std::vector<rank_info>& all)
{
    std::vector<std::vector<int>> nodes;
    for (std::size_t r = 0; r < all.size(); ++r) {
        const auto node = static_cast<std::size_t>(all[r].node);
        nodes.resize(std::max(nodes.size(), node + 1));
        nodes[node].push_back(static_cast<int>(r));
    }
    node_layout layout;
    for (const auto& ranks : nodes) {
        if (ranks.size() != nodes[0].size()) {
            return {};
        }
        layout.rank_at.insert(layout.rank_at.end(), ranks.begin(), ranks.end());
    }
    layout.ranks_per_node = static_cast<int>(nodes[0].size());
    return layout;
}

void pretend_nodes(std::vector<rank_info>& all)
{
    const node_size size = all[0].fake_nodes;
    const int ranks = static_cast<int>(all.size());
    for (int r = 0; size.ranks > 0 && r < ranks; ++r) {
        const int nodes = (ranks + size.ranks - 1) / size.ranks;
        all[static_cast<std::size_t>(r)].node = size.cyclic ? r % nodes : r / size.ranks;
    }
}

std::string unique_name(const std::vector<rank_info>& all)
{
    const rank_info& first = all[0];
    return std::string(first.host.data()) + "-" + std::to_string(first.pid) + "-" +
           std::to_string(first.begin_us);
}

} // namespace rankfold::detail
