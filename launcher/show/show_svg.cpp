// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A title; a frame for each package, in it a box for each NUMA node: its cores in the colours of their ranks,
// below them the GPUs and NICs near the node; then what has no known place, a band for each NVLink group, and
// a legend.
#include "show/show.hpp"
#include "show/svg_canvas.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace rankfold::launcher {
namespace {

using topology::machine;
using topology::plan;

constexpr int cell = 34;
constexpr int margin = 12;
constexpr int line_height = 16;
constexpr int heading = 24;
constexpr int least_box_width = 300; // fits the uuid of a MIG slice
constexpr int nodes_per_row = 4;
constexpr int page_width = 1500; // packages stand side by side up to here
constexpr const char* no_rank = "#eeeeee";
constexpr const char* several_ranks = "#fff3c4";
constexpr const char* not_permitted = "#999999";
constexpr const char* nvlink_green = "#cfe8cf";

using rank_lists = std::vector<std::vector<int>>;

std::string colour(const std::vector<int>& ranks)
{
    constexpr double golden_angle = 137.508; // neighbouring ranks far apart on the colour circle
    if (ranks.size() != 1) {
        return ranks.empty() ? no_rank : several_ranks;
    }
    return fmt::format("hsl({},65%,78%)", static_cast<int>(ranks.front() * golden_angle) % 360);
}

/// "0-3, 8, 10-11"
std::string ranges(const std::vector<int>& ranks)
{
    std::vector<std::string> parts;
    for (std::size_t low = 0, high = 0; low < ranks.size(); low = high + 1) {
        high = low;
        while (high + 1 < ranks.size() && ranks[high + 1] == ranks[high] + 1) {
            ++high;
        }
        parts.push_back(high == low ? fmt::format("{}", ranks[low])
                                    : fmt::format("{}-{}", ranks[low], ranks[high]));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string users(const std::vector<int>& ranks)
{
    return ranks.empty() ? "no rank" : (ranks.size() == 1 ? "rank " : "ranks ") + ranges(ranks);
}

class drawing {
public:
    drawing(const machine& where, const plan& plan)
        : where_(where), plan_(plan), of_core_(where.cores.size()), of_gpu_(where.gpus.size()),
          of_nic_(where.nics.size()), cores_at_(where.numa_nodes.size() + 1)
    {
        for (int r = 0; r < static_cast<int>(plan.ranks.size()); ++r) {
            add_rank(plan.ranks[static_cast<std::size_t>(r)], r);
        }
        std::size_t most = 1;
        for (int c = 0; c < static_cast<int>(where.cores.size()); ++c) {
            std::vector<int>& there = cores_at_[static_cast<std::size_t>(core(c).numa + 1)];
            there.push_back(c);
            most = std::max(most, there.size());
        }
        cores_per_row_ = std::max(8, static_cast<int>(std::ceil(std::sqrt(1.2 * static_cast<double>(most)))));
        box_width_ = std::max(least_box_width, cores_per_row_ * cell + 2 * margin);
    }

    std::string draw()
    {
        int y = draw_title();
        y = draw_packages(y);
        y = draw_unplaced(y);
        for (const auto& [group, members] : nvlink_groups()) {
            y = draw_nvlink(group, members, y);
        }
        y = draw_remarks(y);
        draw_legend(y);
        return canvas_.document(margin);
    }

private:
    void add_rank(const topology::placement& its, int rank)
    {
        for (const int c : its.cores) {
            of_core_.at(static_cast<std::size_t>(c)).push_back(rank);
        }
        if (its.gpu >= 0) {
            of_gpu_.at(static_cast<std::size_t>(its.gpu)).push_back(rank);
        }
        if (its.nic >= 0) {
            of_nic_.at(static_cast<std::size_t>(its.nic)).push_back(rank);
        }
    }

    const topology::core& core(int c) const { return where_.cores[static_cast<std::size_t>(c)]; }
    const topology::numa_node& node(int n) const { return where_.numa_nodes[static_cast<std::size_t>(n)]; }
    int inner_width() const { return box_width_ - 2 * margin; }

    int draw_title()
    {
        const std::size_t ranks = plan_.ranks.size();
        canvas_.text(margin, margin + 16, page_width,
                     fmt::format("{} rank{} on {}", ranks, ranks == 1 ? "" : "s", where_.source), 16);
        canvas_.text(margin, margin + 34, page_width, summary(where_));
        return margin + 46;
    }

    // From left to right, and a new row where the page ends.
    int draw_packages(int top)
    {
        int x = margin;
        int bottom = top;
        for (int package = 0; package < where_.packages; ++package) {
            std::vector<int> nodes;
            for (int n = 0; n < static_cast<int>(where_.numa_nodes.size()); ++n) {
                if (node(n).package == package) {
                    nodes.push_back(n);
                }
            }
            const int columns = std::clamp(static_cast<int>(nodes.size()), 1, nodes_per_row);
            const int width = columns * (box_width_ + margin) + margin;
            if (x > margin && x + width > page_width) {
                x = margin;
                top = bottom;
            }
            bottom = std::max(bottom, draw_package(package, nodes, {x, top, width, 0}) + margin);
            x += width + margin;
        }
        return bottom;
    }

    int draw_package(int package, const std::vector<int>& nodes, rectangle frame)
    {
        const std::size_t below = canvas_.mark();
        canvas_.text(frame.x + margin, frame.y + 16, frame.width - 2 * margin,
                     fmt::format("package {}", package));
        int top = frame.y + heading;
        int bottom = top;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const auto column = static_cast<int>(i % nodes_per_row);
            top = column == 0 ? bottom : top;
            const int x = frame.x + margin + column * (box_width_ + margin);
            bottom = std::max(bottom, draw_node(nodes[i], x, top) + margin);
        }
        frame.height = bottom - frame.y;
        canvas_.box_below(below, frame, "#f6f6f6", "black");
        return bottom;
    }

    int draw_node(int n, int x, int y)
    {
        const std::size_t below = canvas_.mark();
        canvas_.text(x + margin, y + 16, inner_width(),
                     fmt::format("NUMA {}{}", node(n).os_index, node(n).has_cores ? "" : " (memory only)"));
        int bottom = draw_cores(cores_at_[static_cast<std::size_t>(n + 1)], x + margin, y + heading);
        if (node(n).has_cores) {
            bottom = draw_devices(n, x + margin, bottom);
        }
        canvas_.box_below(below, {x, y, box_width_, bottom - y}, "white", "#999999");
        return bottom;
    }

    int draw_cores(const std::vector<int>& cores, int x, int y)
    {
        for (std::size_t i = 0; i < cores.size(); ++i) {
            const auto position = static_cast<int>(i);
            draw_core(cores[i], x + position % cores_per_row_ * cell, y + position / cores_per_row_ * cell);
        }
        const auto count = static_cast<int>(cores.size());
        return y + (count + cores_per_row_ - 1) / cores_per_row_ * cell + (count > 0 ? 4 : 0);
    }

    // In it its rank, or how many; below in small digits the hardware threads that may be used.
    void draw_core(int c, int x, int y)
    {
        const std::vector<int>& ranks = of_core_[static_cast<std::size_t>(c)];
        const topology::index_set permitted = core(c).threads & where_.allowed_threads;
        canvas_.box({x, y, cell - 3, cell - 3}, permitted.empty() ? not_permitted : colour(ranks), "#666666",
                    fmt::format("core {}, hardware threads {}: {}", c, core(c).threads.to_string(),
                                permitted.empty() ? "not permitted" : users(ranks)));
        if (!ranks.empty()) {
            canvas_.text(x + 2, y + 13, cell - 6,
                         ranks.size() == 1 ? std::to_string(ranks.front())
                                           : fmt::format("{}x", ranks.size()));
        }
        const std::vector<int> threads = permitted.to_vector();
        std::string small = threads.empty() ? "" : std::to_string(threads.front());
        if (threads.size() > 1) {
            small += threads.size() == 2 ? fmt::format(",{}", threads.back()) : "..";
        }
        if (!small.empty()) {
            canvas_.text(x + 2, y + 24, cell - 6, small, 7);
        }
    }

    // Devices hang at the first node near them.
    std::vector<int> devices_at(const auto& devices, int n) const
    {
        std::vector<int> found;
        for (int d = 0; d < static_cast<int>(devices.size()); ++d) {
            const std::vector<int> near = where_.nodes_of(devices[static_cast<std::size_t>(d)].threads);
            if ((near.empty() ? -1 : near.front()) == n) {
                found.push_back(d);
            }
        }
        return found;
    }

    int draw_devices(int n, int x, int y)
    {
        for (const int g : devices_at(where_.gpus, n)) {
            const topology::gpu& device = where_.gpus[static_cast<std::size_t>(g)];
            y = draw_device(x, y, "GPU " + device.id(), of_gpu_[static_cast<std::size_t>(g)],
                            device.nvlink_group);
        }
        for (const int d : devices_at(where_.nics, n)) {
            y = draw_device(x, y, "NIC " + where_.nics[static_cast<std::size_t>(d)].name,
                            of_nic_[static_cast<std::size_t>(d)], -1);
        }
        return y + margin / 2;
    }

    int draw_device(int x, int y, const std::string& name, const std::vector<int>& ranks, int nvlink)
    {
        constexpr int tag = 34;
        const int width = inner_width() - 12 - (nvlink >= 0 ? tag : 0);
        std::vector<std::string> lines =
            name.size() > 24 ? std::vector<std::string>{name} : std::vector<std::string>();
        const std::string rest = ranks.empty() ? "no rank" : users(ranks);
        for (std::string& line :
             wrapped(lines.empty() ? name + "  " + rest : rest, characters_in(width), 4)) {
            lines.push_back(std::move(line));
        }
        const int height = static_cast<int>(lines.size()) * line_height + 4;
        canvas_.box({x, y, inner_width(), height}, colour(ranks), "#666666", name + ": " + rest);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            canvas_.text(x + 5, y + 14 + static_cast<int>(i) * line_height, width, lines[i]);
        }
        if (nvlink >= 0) {
            canvas_.box({x + inner_width() - tag, y + 2, tag - 3, line_height}, nvlink_green, "#2e7d32");
            canvas_.text(x + inner_width() - tag + 3, y + 14, tag - 8, fmt::format("NV {}", nvlink), 10);
        }
        return y + height + 4;
    }

    int draw_unplaced(int y)
    {
        if (devices_at(where_.gpus, -1).empty() && devices_at(where_.nics, -1).empty() &&
            cores_at_[0].empty()) {
            return y;
        }
        const std::size_t below = canvas_.mark();
        canvas_.text(2 * margin, y + 16, inner_width(), "place unknown");
        int bottom = draw_cores(cores_at_[0], 2 * margin, y + heading);
        bottom = draw_devices(-1, 2 * margin, bottom);
        canvas_.box_below(below, {margin, y, box_width_, bottom - y}, "white", "#999999");
        return bottom + margin;
    }

    std::map<int, std::vector<int>> nvlink_groups() const
    {
        std::map<int, std::vector<int>> groups;
        for (int g = 0; g < static_cast<int>(where_.gpus.size()); ++g) {
            if (const int group = where_.gpus[static_cast<std::size_t>(g)].nvlink_group; group >= 0) {
                groups[group].push_back(g);
            }
        }
        return groups;
    }

    int draw_nvlink(int group, const std::vector<int>& members, int y)
    {
        std::string words =
            fmt::format("NV {}: {} GPUs reach each other over NVLink:", group, members.size());
        for (const int g : members) {
            words += " " + where_.gpus[static_cast<std::size_t>(g)].id();
        }
        return draw_lines(wrapped(words, characters_in(2 * box_width_ - 12), 6), y, nvlink_green);
    }

    // What the plan has to say; a plan of very many ranks can have very much to say.
    int draw_remarks(int y)
    {
        constexpr std::size_t most = 6;
        std::vector<std::string> lines;
        for (const std::vector<std::string>& remarks : {plan_.warnings, plan_.notes}) {
            for (const std::string& remark : remarks) {
                for (std::string& line : wrapped(remark, characters_in(2 * box_width_ - 12), 3)) {
                    lines.push_back(std::move(line));
                }
            }
        }
        if (lines.size() > most) {
            lines.resize(most);
            lines.emplace_back("and more: see --show text");
        }
        return lines.empty() ? y : draw_lines(lines, y, "#fffbe6");
    }

    int draw_lines(const std::vector<std::string>& lines, int y, const char* fill)
    {
        const int height = static_cast<int>(lines.size()) * line_height + 6;
        canvas_.box({margin, y, 2 * box_width_, height}, fill);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            canvas_.text(margin + 6, y + 15 + static_cast<int>(i) * line_height, 2 * box_width_ - 12,
                         lines[i]);
        }
        return y + height + margin / 2;
    }

    void draw_legend(int y)
    {
        struct entry {
            std::string fill;
            const char* inside;
            const char* words;
        };
        const std::vector<entry> entries{
            {colour({0}), "0", "core, GPU or NIC of rank 0; small digits are hardware threads"},
            {several_ranks, "2x", "shared by that many ranks"},
            {no_rank, "", "of no rank"},
            {not_permitted, "", "core that the cgroup or the inherited mask leaves out"}};
        y += margin / 2;
        for (const entry& each : entries) {
            canvas_.box({margin, y, cell - 3, line_height + 2}, each.fill);
            canvas_.text(margin + 3, y + 13, cell - 8, each.inside);
            canvas_.text(margin + cell + 4, y + 13, 2 * box_width_ - cell, each.words);
            y += line_height + 6;
        }
    }

    const machine& where_;
    const plan& plan_;
    rank_lists of_core_;
    rank_lists of_gpu_;
    rank_lists of_nic_;
    std::vector<std::vector<int>> cores_at_; // by position of the NUMA node + 1; [0]: of no node
    int cores_per_row_ = 8;
    int box_width_ = least_box_width;
    svg_canvas canvas_;
};

} // namespace

std::string show_svg(const machine& where, const plan& plan)
{
    return drawing(where, plan).draw();
}

} // namespace rankfold::launcher
