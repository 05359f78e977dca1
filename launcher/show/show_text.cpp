// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "show/show.hpp"
#include "topology/describe.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>

namespace rankfold::launcher {
namespace {

using topology::machine;
using topology::placement;
using topology::plan;

constexpr std::size_t columns = 9;
using row = std::array<std::string, columns>;

std::string count(std::size_t n, const std::string& word)
{
    return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

std::string or_dash(const std::string& text)
{
    return text.empty() ? "-" : text;
}

row rank_row(const machine& where, const placement& rank, std::size_t number)
{
    const topology::locality place = locate(where, rank.threads, rank.gpu, {});
    const bool has_gpu = rank.gpu >= 0;
    return {fmt::format("{}", number),
            has_gpu ? where.gpus[static_cast<std::size_t>(rank.gpu)].id() : "-",
            has_gpu ? or_dash(place.device_nodes.to_string()) : "-",
            or_dash(place.thread_nodes.to_string()),
            place.distance > 0 ? fmt::format("{}", place.distance) : "-",
            rank.threads.to_string(),
            or_dash(rank.memory_nodes.to_string()),
            fmt::format("{}", rank.omp_threads),
            rank.nic < 0 ? "-" : where.nics[static_cast<std::size_t>(rank.nic)].name};
}

std::string format_rows(const std::vector<row>& rows)
{
    std::array<std::size_t, columns> widths{};
    for (const row& cells : rows)
        for (std::size_t c = 0; c < columns; ++c)
            widths[c] = std::max(widths[c], cells[c].size());
    std::string text;
    for (const row& cells : rows) {
        std::string line;
        for (std::size_t c = 0; c < columns; ++c)
            line += fmt::format("{:<{}}  ", cells[c], widths[c]);
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

} // namespace

std::string summary(const machine& where)
{
    topology::index_set threads;
    for (const topology::core& core : where.cores) {
        threads.insert(core.threads);
    }
    const auto permitted = (threads & where.allowed_threads).count();
    return fmt::format("{}, {}, {}, {} ({} permitted), {}, {}",
                       count(static_cast<std::size_t>(where.packages), "package"),
                       count(where.numa_nodes.size(), "NUMA node"), count(where.cores.size(), "core"),
                       count(static_cast<std::size_t>(threads.count()), "hardware thread"), permitted,
                       count(where.gpus.size(), "GPU"), count(where.nics.size(), "NIC"));
}

std::string show_text(const machine& where, const plan& plan)
{
    std::vector<row> rows{
        {"rank", "GPU", "GPU NUMA", "CPU NUMA", "distance", "hardware threads", "memory", "OpenMP", "NIC"}};
    for (std::size_t r = 0; r < plan.ranks.size(); ++r)
        rows.push_back(rank_row(where, plan.ranks[r], r));
    std::string text = where.source + ": " + summary(where) + "\n" + format_rows(rows);
    for (const std::string& note : plan.notes)
        text += "note: " + note + "\n";
    for (const std::string& warning : plan.warnings)
        text += "warning: " + warning + "\n";
    return text;
}

std::string show(show_form form, const machine& where, const plan& plan)
{
    switch (form) {
    case show_form::none:
    case show_form::text:
        return show_text(where, plan);
    case show_form::json:
        return show_json(where, plan);
    case show_form::svg:
        return show_svg(where, plan);
    }
    return "";
}

} // namespace rankfold::launcher
