// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "topology/describe.hpp"

#include <algorithm>

namespace rankfold::topology {
namespace {

index_set os_indices(const machine& where, const std::vector<int>& nodes)
{
    index_set result;
    for (const int node : nodes)
        result.insert(where.numa_nodes[static_cast<std::size_t>(node)].os_index);
    return result;
}

// From the thread's node to the nearest node of the device, for the thread that is worst off.
int farthest(const machine& where, const std::vector<int>& from, const std::vector<int>& to)
{
    int worst = 0;
    for (const int a : from) {
        int nearest = to.empty() ? 0 : where.distance(a, to.front());
        for (const int b : to)
            nearest = std::min(nearest, where.distance(a, b));
        worst = std::max(worst, nearest);
    }
    return worst;
}

const char* word(bool local)
{
    return local ? "local" : "remote";
}

} // namespace

locality locate(const machine& where, const index_set& threads, int device, const index_set& pages)
{
    const std::vector<int> mine = where.nodes_of(threads);
    const std::vector<int> its =
        device < 0 ? mine : where.nodes_of(where.gpus[static_cast<std::size_t>(device)].threads);
    locality result{
        .thread_nodes = os_indices(where, mine), .device_nodes = os_indices(where, its), .page_nodes = pages};
    result.distance = farthest(where, mine, its);
    result.threads_local = !its.empty() && result.device_nodes.contains(result.thread_nodes);
    result.pages_local = !pages.empty() && result.device_nodes.contains(pages);
    return result;
}

std::string describe(const machine& where, const index_set& threads, int device, const index_set& pages)
{
    const locality l = locate(where, threads, device, pages);
    const bool known = !l.device_nodes.empty();
    std::string text;
    if (device >= 0)
        text = "GPU " + where.gpus[static_cast<std::size_t>(device)].id() + " NUMA " +
               (known ? l.device_nodes.to_string() : "unknown") + ", ";
    text += "threads " + threads.to_string() + " NUMA " + l.thread_nodes.to_string();
    if (known)
        text += std::string(" (") + word(l.threads_local) + ", distance " + std::to_string(l.distance) + ")";
    if (!pages.empty())
        text += ", pages NUMA " + pages.to_string() +
                (known ? std::string(" (") + word(l.pages_local) + ")" : "");
    return text;
}

} // namespace rankfold::topology
