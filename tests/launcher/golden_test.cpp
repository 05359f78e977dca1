// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
// Whole plans against committed files. After a change that is meant: RANKFOLD_UPDATE_GOLDEN=1, then read the
// difference.
#include "show/show.hpp"
#include "support.hpp"
#include "topology/place.hpp"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace rankfold::launcher::testing {
namespace {

struct golden_case {
    std::string machine;
    int ranks;
    bool oversubscribe = false;
    bool share_gpus = false;
    int cores_per_rank = 0;
    bool smt = false;
};

std::string name_of(const golden_case& c)
{
    return c.machine + ".np" + std::to_string(c.ranks) + (c.oversubscribe ? ".oversubscribed" : "") +
           (c.share_gpus ? ".shared" : "") +
           (c.cores_per_rank > 0 ? ".cores" + std::to_string(c.cores_per_rank) : "") + (c.smt ? ".smt" : "");
}

void expect_golden(const std::string& name, const std::string& actual)
{
    const std::string file = std::string(MACHINES) + "/golden/" + name;
    if (std::getenv("RANKFOLD_UPDATE_GOLDEN") != nullptr)
        std::ofstream(file) << actual;
    std::ifstream stream(file);
    const std::string expected{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    EXPECT_EQ(expected, actual) << "golden file " << name;
}

class Plan : public ::testing::TestWithParam<golden_case> {};

TEST_P(Plan, MatchesGoldenTextAndJson)
{
    const golden_case& c = GetParam();
    const topology::machine where = recorded(c.machine);

    const topology::plan plan = topology::place(where, {.ranks = c.ranks,
                                                        .cores_per_rank = c.cores_per_rank,
                                                        .smt = c.smt,
                                                        .oversubscribe = c.oversubscribe,
                                                        .share_gpus = c.share_gpus});

    expect_golden(name_of(c) + ".txt", show_text(where, plan));
    expect_golden(name_of(c) + ".json", show_json(where, plan));
}

INSTANTIATE_TEST_SUITE_P(
    Machines, Plan,
    ::testing::Values(golden_case{"dgx-h100", 8}, golden_case{"dgx-h100", 2},
                      golden_case{.machine = "dgx-h100", .ranks = 8, .cores_per_rank = 4, .smt = true},
                      golden_case{"reversed-numa", 8}, golden_case{"pairs-7531", 8},
                      golden_case{"pairs-7531", 3}, golden_case{"one-package", 4},
                      golden_case{"four-sockets", 24}, golden_case{"grace-hopper", 4},
                      golden_case{"vm-one-mask", 4}, golden_case{"vm-no-locality", 4},
                      golden_case{"no-gpu", 4}, golden_case{"no-gpu", 3}, golden_case{"one-core", 1},
                      golden_case{.machine = "one-core", .ranks = 3, .oversubscribe = true},
                      golden_case{"cgroup-holes", 2},
                      golden_case{.machine = "cgroup-holes", .ranks = 4, .share_gpus = true},
                      golden_case{"one-core-allowed", 1}, golden_case{"mig", 4}),
    [](const auto& test) {
        std::string name = name_of(test.param);
        for (char& c : name)
            c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
        return name;
    });

} // namespace
} // namespace rankfold::launcher::testing
