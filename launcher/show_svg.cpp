// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
// A box for each NUMA node, a row of boxes for each package: cores in the colour of their rank, then the GPUs
// and NICs near the node; below all, what has no known place, and a bar for each NVLink group.
#include "show.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace rankfold::launcher {
namespace {

using topology::machine;
using topology::plan;

constexpr int cell = 24;
constexpr int cores_per_row = 8;
constexpr int margin = 12;
constexpr int line_height = 26;
constexpr int box_width = cores_per_row * cell + 2 * margin;

std::string escaped(const std::string& text)
{
    std::string result;
    for (const char c : text) {
        const bool special =
            c == '<' || c == '>' || c == '&' || c == '"' || static_cast<unsigned char>(c) < 32;
        result += special ? fmt::format("&#{};", std::max(32, static_cast<int>(c))) : std::string(1, c);
    }
    return result;
}

std::string colour(int rank)
{
    constexpr double golden_angle = 137.508; // neighbouring ranks far apart on the colour circle
    return rank < 0 ? "#eeeeee" : fmt::format("hsl({},65%,78%)", static_cast<int>(rank * golden_angle) % 360);
}

class drawing {
public:
    drawing(const machine& where, const plan& plan) : where_(where), plan_(plan) {}

    std::string draw()
    {
        int y = margin + line_height;
        text(margin, margin + 14, where_.source);
        for (int package = 0; package < where_.packages; ++package)
            y = draw_package(package, y);
        y = draw_unplaced(y);
        for (const auto& [group, members] : nvlink_groups())
            y = draw_nvlink(group, members, y);
        const std::string head = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
            "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"{0}\" height=\"{1}\" "
            "fill=\"white\"/>\n",
            width_ + margin, y + margin);
        return head + body_ + "</svg>\n";
    }

private:
    void box(int x, int y, int w, int h, const std::string& fill)
    {
        body_ += fmt::format(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"{}\" stroke=\"#666666\"/>\n",
            x, y, w, h, fill);
        width_ = std::max(width_, x + w);
    }

    void text(int x, int y, const std::string& words)
    {
        body_ += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", x, y, escaped(words));
        width_ = std::max(width_, x + static_cast<int>(words.size()) * 7);
    }

    std::vector<int> ranks_where(auto&& uses) const
    {
        std::vector<int> ranks;
        for (std::size_t r = 0; r < plan_.ranks.size(); ++r)
            if (uses(plan_.ranks[r]))
                ranks.push_back(static_cast<int>(r));
        return ranks;
    }

    // Devices hang at the first node near them.
    std::vector<int> devices_at(const auto& devices, int node) const
    {
        std::vector<int> found;
        for (int d = 0; d < static_cast<int>(devices.size()); ++d) {
            const std::vector<int> near = where_.nodes_of(devices[static_cast<std::size_t>(d)].threads);
            if ((near.empty() ? -1 : near.front()) == node)
                found.push_back(d);
        }
        return found;
    }

    int draw_package(int package, int y)
    {
        int x = 2 * margin;
        int bottom = y + line_height;
        const int top = y;
        const std::size_t frame = body_.size();
        for (int node = 0; node < static_cast<int>(where_.numa_nodes.size()); ++node) {
            if (where_.numa_nodes[static_cast<std::size_t>(node)].package != package)
                continue;
            bottom = std::max(bottom, draw_node(node, x, y + line_height));
            x += box_width + margin;
        }
        const int right = std::max(x, box_width);
        body_.insert(
            frame,
            fmt::format(
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#fafafa\" stroke=\"black\"/>\n",
                margin, top, right - margin, bottom - top + margin));
        text(2 * margin, top + 16, fmt::format("package {}", package));
        width_ = std::max(width_, right);
        return bottom + 2 * margin;
    }

    int draw_node(int node, int x, int y)
    {
        const topology::numa_node& its = where_.numa_nodes[static_cast<std::size_t>(node)];
        const std::size_t frame = body_.size();
        text(x + margin, y + 16,
             fmt::format("NUMA {}{}", its.os_index, its.has_cores ? "" : " (memory only)"));
        int bottom = draw_cores(node, x + margin, y + line_height);
        bottom = draw_devices(its.has_cores ? node : -2, x + margin, bottom);
        body_.insert(
            frame,
            fmt::format(
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"white\" stroke=\"#999999\"/>\n", x,
                y, box_width, bottom - y));
        return bottom;
    }

    int draw_cores(int node, int x, int y)
    {
        int drawn = 0;
        for (int c = 0; c < static_cast<int>(where_.cores.size()); ++c) {
            if (where_.cores[static_cast<std::size_t>(c)].numa != node)
                continue;
            const auto users = ranks_where([&](const topology::placement& p) {
                return std::find(p.cores.begin(), p.cores.end(), c) != p.cores.end();
            });
            const bool permitted =
                where_.cores[static_cast<std::size_t>(c)].threads.intersects(where_.allowed_threads);
            const int left = x + drawn % cores_per_row * cell;
            const int top = y + drawn / cores_per_row * cell;
            box(left, top, cell - 4, cell - 4,
                permitted ? colour(users.empty() ? -1 : users.front()) : "#888888");
            if (!users.empty())
                text(left + 4, top + 14, users.size() == 1 ? std::to_string(users.front()) : "+");
            ++drawn;
        }
        return y + (drawn + cores_per_row - 1) / cores_per_row * cell;
    }

    int draw_devices(int node, int x, int y)
    {
        for (const int g : devices_at(where_.gpus, node)) {
            const auto users = ranks_where([&](const topology::placement& p) { return p.gpu == g; });
            draw_device(x, y, "GPU " + where_.gpus[static_cast<std::size_t>(g)].id(), users);
            gpu_edge_[g] = {x + box_width - 2 * margin - 4, y + line_height / 2};
            y += line_height;
        }
        for (const int n : devices_at(where_.nics, node)) {
            const auto users = ranks_where([&](const topology::placement& p) { return p.nic == n; });
            draw_device(x, y, "NIC " + where_.nics[static_cast<std::size_t>(n)].name, users);
            y += line_height;
        }
        return y;
    }

    void draw_device(int x, int y, const std::string& name, const std::vector<int>& users)
    {
        std::string label = name + (users.empty() ? "" : users.size() == 1 ? " rank" : " ranks");
        for (const int rank : users)
            label += fmt::format(" {}", rank);
        box(x, y, box_width - 2 * margin - 4, line_height - 4, colour(users.empty() ? -1 : users.front()));
        text(x + 4, y + 15, label);
    }

    int draw_unplaced(int y)
    {
        const int bottom = draw_devices(-1, 2 * margin, y + line_height);
        if (bottom == y + line_height)
            return y;
        text(2 * margin, y + 16, "place unknown");
        return bottom + margin;
    }

    std::map<int, std::vector<int>> nvlink_groups() const
    {
        std::map<int, std::vector<int>> groups;
        for (int g = 0; g < static_cast<int>(where_.gpus.size()); ++g)
            if (const int group = where_.gpus[static_cast<std::size_t>(g)].nvlink_group; group >= 0)
                groups[group].push_back(g);
        return groups;
    }

    int draw_nvlink(int group, const std::vector<int>& members, int y)
    {
        box(margin, y, width_ - margin, line_height - 4, "#d5e8d4");
        text(margin + 4, y + 15, fmt::format("NVLink group {}: {} GPUs", group, members.size()));
        for (const int g : members) {
            // Down the gap between the boxes, which all packages have at the same place.
            const auto [x, top] = gpu_edge_.at(g);
            const int lane = x + margin + 6 + 2 * (g % 4);
            body_ += fmt::format(
                "<polyline points=\"{0},{1} {2},{1} {2},{3}\" fill=\"none\" stroke=\"#2e7d32\"/>\n", x, top,
                lane, y);
        }
        return y + line_height;
    }

    const machine& where_;
    const plan& plan_;
    std::string body_;
    std::map<int, std::pair<int, int>> gpu_edge_;
    int width_ = 0;
};

} // namespace

std::string show_svg(const machine& where, const plan& plan)
{
    return drawing(where, plan).draw();
}

} // namespace rankfold::launcher
