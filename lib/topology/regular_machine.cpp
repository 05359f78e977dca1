// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every object has equally many children, so that object i of n lies in parent i / (n / parents).
#include "regular_machine.hpp"

#include "topology/error.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <hwloc.h>
#include <sstream>

namespace rankfold::topology {
namespace {

constexpr std::array order{HWLOC_OBJ_PACKAGE, HWLOC_OBJ_NUMANODE, HWLOC_OBJ_CORE, HWLOC_OBJ_PU};

struct level {
    std::size_t kind; // position in `order`
    int count;        // in each object of the level above
};

std::optional<level> parse_level(const std::string& word)
{
    const std::size_t colon = std::min(word.find(':'), word.size());
    hwloc_obj_type_t type = HWLOC_OBJ_MACHINE;
    level result{};
    const char* begin = word.data() + std::min(colon + 1, word.size());
    const char* end = word.data() + word.size();
    const bool plain = std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(colon),
                                   [](unsigned char c) { return std::isalpha(c) != 0; });
    const auto [stop, status] = std::from_chars(begin, end, result.count);
    if (!plain || hwloc_type_sscanf(word.substr(0, colon).c_str(), &type, nullptr, 0) != 0 ||
        status != std::errc() || stop != end || result.count < 1 || *begin == '0') {
        return std::nullopt;
    }
    result.kind = static_cast<std::size_t>(std::find(order.begin(), order.end(), type) - order.begin());
    return result.kind < order.size() ? std::optional(result) : std::nullopt;
}

/// Objects of each kind in the whole machine, 0 for kinds that are not named.
using totals = std::array<long long, order.size()>;

std::optional<totals> parse(const std::string& description)
{
    totals all{};
    long long total = 1;
    std::size_t next_kind = 0;
    std::istringstream words(description);
    for (std::string word; words >> word;) {
        const std::optional<level> one = parse_level(word);
        if (!one || one->kind < next_kind) {
            return std::nullopt;
        }
        total *= one->count;
        if (total > index_set::limit) {
            throw topology_error("'" + description + "' has more than " + std::to_string(index_set::limit) +
                                 " hardware threads, the most that can be placed");
        }
        all[one->kind] = total;
        next_kind = one->kind + 1;
    }
    return all.back() > 0 ? std::optional(all) : std::nullopt;
}

index_set range(int first, int count)
{
    index_set result;
    for (int i = first; i < first + count; ++i) {
        result.insert(i);
    }
    return result;
}

} // namespace

std::optional<machine> regular_machine(const std::string& description)
{
    const std::optional<totals> parsed = parse(description);
    if (!parsed) {
        return std::nullopt;
    }
    const int threads = static_cast<int>((*parsed)[3]);
    const int cores =
        (*parsed)[2] > 0 ? static_cast<int>((*parsed)[2]) : threads; // each thread counts as one
    const int packages = std::max(1, static_cast<int>((*parsed)[0]));
    const int nodes = std::max(1, static_cast<int>((*parsed)[1])); // hwloc adds one to a machine without
    const bool nodes_in_packages = (*parsed)[1] > 0;
    machine result;
    result.packages = packages;
    for (int n = 0; n < nodes; ++n) {
        result.numa_nodes.push_back({.os_index = n,
                                     .package = nodes_in_packages ? n / (nodes / packages) : 0,
                                     .has_cores = true,
                                     .threads = range(n * (threads / nodes), threads / nodes)});
    }
    for (int c = 0; c < cores; ++c) {
        result.cores.push_back({.package = c / (cores / packages),
                                .numa = c / (cores / nodes),
                                .threads = range(c * (threads / cores), threads / cores)});
    }
    result.allowed_threads = range(0, threads);
    result.cgroup_threads = result.allowed_threads;
    result.allowed_nodes = range(0, nodes);
    return result;
}

} // namespace rankfold::topology
