// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "show.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <regex>
#include <stack>

namespace rankfold::launcher::testing {
namespace {

std::string svg_of(const std::string& machine, int ranks)
{
    const topology::machine where = recorded(machine);
    return show_svg(where,
                    topology::place(where, {.ranks = ranks, .oversubscribe = true, .share_gpus = true}));
}

// Every opened element is closed in order, and no bare ampersand is left.
bool well_formed(const std::string& text)
{
    std::stack<std::string> open;
    const std::regex tag("<(/?)([a-z]+)[^<>]*?(/?)>");
    for (auto at = std::sregex_iterator(text.begin(), text.end(), tag); at != std::sregex_iterator(); ++at) {
        const std::smatch& match = *at;
        if (match[1].length() > 0) {
            if (open.empty() || open.top() != match[2])
                return false;
            open.pop();
        } else if (match[3].length() == 0) {
            open.push(match[2]);
        }
    }
    return open.empty() && !std::regex_search(text, std::regex("&(?!#\\d+;)"));
}

TEST(Svg, IsWellFormedForEveryMachine)
{
    for (const char* name :
         {"dgx-h100", "grace-hopper", "vm-no-locality", "one-core", "cgroup-holes", "mig", "no-gpu"})
        EXPECT_TRUE(well_formed(svg_of(name, 3))) << name;
}

TEST(Svg, ShowsRanksAtTheirGpusNicsAndCores)
{
    const std::string picture = svg_of("dgx-h100", 8);

    for (const char* part : {"package 1", "NUMA 1", "GPU 0000:df:00.0 rank 7", "NIC mlx5_11 rank 7",
                             "NVLink group 0: 8 GPUs", ">7</text>"})
        EXPECT_NE(picture.find(part), std::string::npos) << part;
}

TEST(Svg, EscapesNames)
{
    topology::machine where = recorded("one-core");
    where.source = "a<b>&\"";

    EXPECT_TRUE(well_formed(show_svg(where, topology::place(where, {.ranks = 1}))));
}

} // namespace
} // namespace rankfold::launcher::testing
