// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "topology/machine.hpp"

#include "topology/error.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>

namespace rankfold::topology {
namespace {

bool parse_hex(std::string_view text, unsigned limit, unsigned& value)
{
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    return !text.empty() && status == std::errc() && end == text.data() + text.size() && value <= limit;
}

std::string lower(std::string_view text)
{
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

} // namespace

int machine::distance(int a, int b) const
{
    if (a < 0 || b < 0)
        return 20;
    const auto row = static_cast<std::size_t>(a);
    const auto column = static_cast<std::size_t>(b);
    if (row < distances.size() && column < distances[row].size())
        return distances[row][column];
    if (a == b)
        return 10;
    return numa_nodes[row].package == numa_nodes[column].package ? 15 : 20;
}

std::vector<int> machine::nodes_of(const index_set& threads) const
{
    std::vector<int> nodes;
    for (int i = 0; i < static_cast<int>(numa_nodes.size()); ++i) {
        const numa_node& node = numa_nodes[static_cast<std::size_t>(i)];
        if (node.has_cores && node.threads.intersects(threads))
            nodes.push_back(i);
    }
    return nodes;
}

int machine::find_gpu(std::string_view id) const
{
    const bool is_uuid = id.starts_with("GPU-") || id.starts_with("MIG-");
    const std::string wanted = is_uuid ? lower(id) : normalise_bus_id(id);
    const auto found = std::find_if(gpus.begin(), gpus.end(), [&](const gpu& g) {
        return is_uuid ? lower(g.uuid) == wanted : g.bus_id == wanted;
    });
    return found == gpus.end() ? -1 : static_cast<int>(found - gpus.begin());
}

std::string normalise_bus_id(std::string_view text)
{
    unsigned domain = 0;
    unsigned bus = 0;
    unsigned device = 0;
    unsigned function = 0;
    const std::size_t dot = text.rfind('.');
    const std::size_t colon = text.rfind(':', dot);
    const std::size_t first = text.find(':');
    if (dot == text.npos || colon == text.npos)
        throw topology_error("'" + std::string(text) + "' is not a PCI bus id such as 0000:3b:00.0");
    const bool with_domain = first != colon;
    const std::size_t bus_begin = with_domain ? first + 1 : 0;
    const bool good = (!with_domain || parse_hex(text.substr(0, first), 0xffffffffU, domain)) &&
                      parse_hex(text.substr(bus_begin, colon - bus_begin), 0xff, bus) &&
                      parse_hex(text.substr(colon + 1, dot - colon - 1), 0x1f, device) &&
                      parse_hex(text.substr(dot + 1), 7, function);
    if (!good)
        throw topology_error("'" + std::string(text) + "' is not a PCI bus id such as 0000:3b:00.0");
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%04x:%02x:%02x.%x", domain, bus, device, function);
    return buffer;
}

} // namespace rankfold::topology
