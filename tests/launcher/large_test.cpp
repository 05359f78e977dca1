// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Many ranks and large machines: the time limit of this test is far above what they need, and far below what
// steps that grow with the square of ranks or cores would take.
#include "show/show.hpp"
#include "support.hpp"
#include "topology/place.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace rankfold::launcher::testing {
namespace {

using topology::machine;
using topology::plan;

std::vector<int> users_of_cores(const machine& where, const plan& p)
{
    std::vector<int> users(where.cores.size());
    for (const topology::placement& rank : p.ranks) {
        for (const int c : rank.cores) {
            ++users.at(static_cast<std::size_t>(c));
        }
    }
    return users;
}

TEST(Large, NumbersOfRanksShareTheCoresEvenly)
{
    const machine where = topology::load_synthetic("package:2 numa:1 core:8 pu:2");

    const plan p = place(where, {.ranks = 100000, .oversubscribe = true});

    EXPECT_EQ(users_of_cores(where, p), std::vector<int>(16, 100000 / 16));
    EXPECT_EQ(p.notes, std::vector<std::string>{"cores are shared: up to 6250 ranks on one core"});
}

TEST(Large, NumbersOfRanksShareTheGpusEvenly)
{
    const machine where = recorded("dgx-h100");

    const plan p = place(where, {.ranks = 100000, .oversubscribe = true, .share_gpus = true});

    std::vector<int> users(where.gpus.size());
    for (const topology::placement& rank : p.ranks) {
        ++users.at(static_cast<std::size_t>(rank.gpu));
    }
    EXPECT_EQ(users, std::vector<int>(8, 100000 / 8));
}

TEST(Large, MachinesGiveEachRankACoreOfItsOwn)
{
    const machine where = topology::load_synthetic("node:2 core:4096 pu:2");

    const plan p = place(where, {.ranks = 8192});

    EXPECT_EQ(users_of_cores(where, p), std::vector<int>(8192, 1));
}

TEST(Large, MachinesAreGivenToOneRankByHalves)
{
    const machine where = topology::load_synthetic("node:2 core:4096 pu:2");

    const plan p = place(where, {.ranks = 1});

    EXPECT_EQ(p.ranks.front().cores.size(), 4096U);
    EXPECT_EQ(p.ranks.front().threads.to_string(), "0-8191");
}

TEST(Large, PlansAreShownInEveryForm)
{
    const machine where = topology::load_synthetic("node:2 core:4096 pu:2");
    const plan p = place(where, {.ranks = 20000, .oversubscribe = true});

    for (const show_form form : {show_form::text, show_form::json, show_form::svg}) {
        EXPECT_NE(show(form, where, p).find("19999"), std::string::npos);
    }
}

} // namespace
} // namespace rankfold::launcher::testing
