// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The picture as a reader of SVG finds it: well-formed, complete, and no text beside its box.
#include "show/show.hpp"
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
            if (open.empty() || open.top() != match[2]) {
                return false;
            }
            open.pop();
        } else if (match[3].length() == 0) {
            open.push(match[2]);
        }
    }
    return open.empty() && !std::regex_search(text, std::regex("&(?!#\\d+;)"));
}

struct area {
    double left;
    double top;
    double right;
    double bottom;
    std::string what;

    bool inside(const area& a) const
    {
        return left >= a.left && right <= a.right && top >= a.top && bottom <= a.bottom;
    }
    bool apart_from(const area& a) const
    {
        return left >= a.right || right <= a.left || top >= a.bottom || bottom <= a.top;
    }
};

std::vector<area> boxes_of(const std::string& picture)
{
    std::vector<area> boxes;
    const std::regex form("<rect x=\"(\\d+)\" y=\"(\\d+)\" width=\"(\\d+)\" height=\"(\\d+)\"");
    for (auto at = std::sregex_iterator(picture.begin(), picture.end(), form); at != std::sregex_iterator();
         ++at) {
        const double x = std::stod((*at)[1]);
        const double y = std::stod((*at)[2]);
        boxes.push_back({x, y, x + std::stod((*at)[3]), y + std::stod((*at)[4]), "box " + (*at)[0].str()});
    }
    return boxes;
}

// As wide as DejaVu Sans, one of the widest fonts in use, makes digits.
std::vector<area> texts_of(const std::string& picture)
{
    constexpr double digit = 0.636;
    constexpr double ascent = 0.73;
    std::vector<area> texts;
    const std::regex form("<text x=\"(\\d+)\" y=\"(\\d+)\" font-size=\"([0-9.]+)\">([^<]*)<");
    for (auto at = std::sregex_iterator(picture.begin(), picture.end(), form); at != std::sregex_iterator();
         ++at) {
        const double x = std::stod((*at)[1]);
        const double y = std::stod((*at)[2]);
        const double size = std::stod((*at)[3]);
        const std::string words = std::regex_replace((*at)[4].str(), std::regex("&#\\d+;"), "x");
        texts.push_back(
            {x, y - ascent * size, x + digit * size * static_cast<double>(words.size()), y, "text " + words});
    }
    return texts;
}

void expect_no_overlap(const std::string& picture)
{
    const std::vector<area> boxes = boxes_of(picture);
    const std::vector<area> texts = texts_of(picture);
    ASSERT_GT(boxes.size(), 3U);
    ASSERT_GT(texts.size(), 3U);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        EXPECT_TRUE(boxes[i].inside(boxes.front())) << boxes[i].what << " leaves the page";
        for (std::size_t j = 0; j < i; ++j) {
            EXPECT_TRUE(boxes[i].inside(boxes[j]) || boxes[j].inside(boxes[i]) ||
                        boxes[i].apart_from(boxes[j]))
                << boxes[i].what << " cuts " << boxes[j].what;
        }
    }
    for (const area& text : texts) {
        EXPECT_TRUE(text.inside(boxes.front())) << text.what << " leaves the page";
        for (const area& box : boxes) {
            EXPECT_TRUE(text.inside(box) || text.apart_from(box)) << text.what << " cuts " << box.what;
        }
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            EXPECT_TRUE(texts[i].apart_from(texts[j])) << texts[i].what << " covers " << texts[j].what;
        }
    }
}

TEST(Svg, IsWellFormedForEveryMachine)
{
    for (const char* name :
         {"dgx-h100", "grace-hopper", "vm-no-locality", "one-core", "cgroup-holes", "mig", "no-gpu"}) {
        EXPECT_TRUE(well_formed(svg_of(name, 3))) << name;
    }
}

TEST(Svg, KeepsTextsInTheirBoxesAndBoxesApart)
{
    for (const char* name : {"dgx-h100", "grace-hopper", "vm-no-locality", "one-core", "cgroup-holes", "mig",
                             "no-gpu", "four-sockets", "pairs-7531"}) {
        for (const int ranks : {1, 8, 64, 1000}) {
            SCOPED_TRACE(std::string(name) + " " + std::to_string(ranks));
            expect_no_overlap(svg_of(name, ranks));
        }
    }
}

// Ranks of a GPU that are no neighbours make the longest lists.
TEST(Svg, BreaksLongListsOfRanks)
{
    topology::machine where = recorded("mig");
    topology::plan plan = topology::place(where, {.ranks = 400, .oversubscribe = true, .share_gpus = true});
    for (std::size_t r = 0; r < plan.ranks.size(); ++r) {
        plan.ranks[r].gpu = static_cast<int>(r % where.gpus.size());
    }
    where.gpus[3].nvlink_group = 0;

    const std::string picture = show_svg(where, plan);

    expect_no_overlap(picture);
    EXPECT_NE(picture.find(" ...</text>"), std::string::npos);
    EXPECT_NE(picture.find(", 396</title>"), std::string::npos) << "the tip has all of them";
}

TEST(Svg, ShowsRanksAtTheirGpusNicsAndCores)
{
    const std::string picture = svg_of("dgx-h100", 8);

    for (const char* part : {"8 ranks on dgx-h100<", "112 cores, 224 hardware threads", "package 1", "NUMA 1",
                             "GPU 0000:df:00.0 rank 7", "NIC mlx5_11 rank 7",
                             "NV 0: 8 GPUs reach each other over NVLink", ">7</text>", ">NV 0</text>",
                             ">0,112</text>", "core 111, hardware threads 111,223: rank 7", "of no rank"}) {
        EXPECT_NE(picture.find(part), std::string::npos) << part;
    }
}

TEST(Svg, EscapesNames)
{
    topology::machine where = recorded("one-core");
    where.source = "a<b>&\"";

    EXPECT_TRUE(well_formed(show_svg(where, topology::place(where, {.ranks = 1}))));
}

} // namespace
} // namespace rankfold::launcher::testing
