// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
// What a person expects of each machine, written down by hand: which GPU and which NUMA node each rank gets.
#include "support.hpp"
#include "topology/error.hpp"
#include "topology/place.hpp"

#include <gtest/gtest.h>
#include <set>

namespace rankfold::launcher::testing {
namespace {

using topology::index_set;
using topology::machine;
using topology::plan;
using topology::rank_limit;
using topology::topology_error;

std::vector<std::string> gpus_of(const machine& where, const plan& p)
{
    std::vector<std::string> ids;
    for (const topology::placement& rank : p.ranks)
        ids.push_back(where.gpus.at(static_cast<std::size_t>(rank.gpu)).id());
    return ids;
}

std::vector<int> nodes_of(const machine& where, const plan& p)
{
    std::vector<int> nodes;
    for (const topology::placement& rank : p.ranks)
        nodes.push_back(where.numa_nodes.at(static_cast<std::size_t>(rank.home)).os_index);
    return nodes;
}

std::vector<std::string> threads_of(const plan& p)
{
    std::vector<std::string> threads;
    for (const topology::placement& rank : p.ranks)
        threads.push_back(rank.threads.to_string());
    return threads;
}

std::string refusal(const machine& where, const topology::request& what)
{
    try {
        place(where, what);
    } catch (const topology_error& error) {
        return error.what();
    }
    return "placed";
}

bool mentions(const std::string& text, const std::string& part)
{
    return text.find(part) != text.npos;
}

TEST(Plans, GiveEachRankOfADgxItsGpuNicAndQuarterOfAPackage)
{
    const machine where = recorded("dgx-h100");

    const plan p = place(where, {.ranks = 8});

    EXPECT_EQ(gpus_of(where, p),
              (std::vector<std::string>{"0000:1b:00.0", "0000:43:00.0", "0000:52:00.0", "0000:61:00.0",
                                        "0000:9d:00.0", "0000:c3:00.0", "0000:d1:00.0", "0000:df:00.0"}));
    EXPECT_EQ(nodes_of(where, p), (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1}));
    EXPECT_EQ(threads_of(p).at(4), "56-69,168-181");
    const std::vector<std::string> nics{"mlx5_0", "mlx5_3", "mlx5_4",  "mlx5_5",
                                        "mlx5_6", "mlx5_9", "mlx5_10", "mlx5_11"};
    for (std::size_t r = 0; r < 8; ++r)
        EXPECT_EQ(where.nics.at(static_cast<std::size_t>(p.ranks[r].nic)).name, nics[r]);
}

TEST(Plans, SpreadFewRanksOverThePackages)
{
    const machine where = recorded("dgx-h100");

    const plan p = place(where, {.ranks = 2});

    EXPECT_EQ(nodes_of(where, p), (std::vector<int>{0, 1}));
}

TEST(Plans, FollowTheBusIdWhenGpusAreInReverseOrder)
{
    const machine where = recorded("reversed-numa");

    const plan p = place(where, {.ranks = 8});

    EXPECT_EQ(nodes_of(where, p), (std::vector<int>{7, 6, 5, 4, 3, 2, 1, 0}));
    EXPECT_EQ(threads_of(p).front(), "28-31,60-63");
}

TEST(Plans, ShareANodeBetweenTheTwoGpusNearIt)
{
    const machine where = recorded("pairs-7531");

    const plan p = place(where, {.ranks = 8});

    EXPECT_EQ(nodes_of(where, p), (std::vector<int>{7, 7, 5, 5, 3, 3, 1, 1}));
    EXPECT_EQ(threads_of(p),
              (std::vector<std::string>{"28-29,60-61", "30-31,62-63", "20-21,52-53", "22-23,54-55",
                                        "12-13,44-45", "14-15,46-47", "4-5,36-37", "6-7,38-39"}));
}

TEST(Plans, TakeTheNearestCoresWhenTheNodeHasTooFew)
{
    const machine where = recorded("pairs-7531");

    const plan p = place(where, {.ranks = 8, .cores_per_rank = 4});

    for (const topology::placement& rank : p.ranks) {
        EXPECT_EQ(rank.cores.size(), 4U);
        std::set<int> packages;
        for (const int c : rank.cores)
            packages.insert(where.cores.at(static_cast<std::size_t>(c)).package);
        EXPECT_EQ(packages.size(), 1U) << "cores on the other package are farther";
    }
}

TEST(Plans, LeaveTheMemoryOfGraceHopperGpusAlone)
{
    const machine where = recorded("grace-hopper");

    const plan p = place(where, {.ranks = 4});

    for (int r = 0; r < 4; ++r)
        EXPECT_EQ(p.ranks.at(static_cast<std::size_t>(r)).memory_nodes, index_set{r});
}

TEST(Plans, SayThatLocalityIsUnknown)
{
    const machine where = recorded("vm-no-locality");

    const plan p = place(where, {.ranks = 4});

    ASSERT_EQ(p.warnings.size(), 1U);
    EXPECT_TRUE(mentions(p.warnings[0], "GPU locality unknown"));
    EXPECT_EQ(nodes_of(where, p), (std::vector<int>{0, 0, 1, 1}));
}

TEST(Plans, NameMigSlicesByUuid)
{
    const machine where = recorded("mig");

    const plan p = place(where, {.ranks = 4});

    EXPECT_EQ(gpus_of(where, p),
              (std::vector<std::string>{"MIG-00000001-0000-0000-0000-000000000000",
                                        "MIG-00000002-0000-0000-0000-000000000000",
                                        "MIG-00000003-0000-0000-0000-000000000000", "0000:20:00.0"}));
}

// BC-81: 24 ranks on 4 sockets with 6 GPUs each; 2 ranks with 2 of 4 cores each.
TEST(Plans, UseAllGpusOfAllSockets)
{
    const machine where = recorded("four-sockets");

    const plan p = place(where, {.ranks = 24});

    const std::vector<std::string> ids = gpus_of(where, p);
    EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), 24U);
    for (const topology::placement& rank : p.ranks)
        EXPECT_EQ(rank.cores.size(), 2U);
}

TEST(Plans, GiveTwoRanksTwoCoresEach)
{
    const plan p =
        place(topology::load_synthetic("package:1 core:4 pu:1"), {.ranks = 2, .cores_per_rank = 2});

    EXPECT_EQ(threads_of(p), (std::vector<std::string>{"0-1", "2-3"}));
}

// BC-82: only one thread of each core is permitted; then one core alone.
TEST(Plans, UseCoresOfWhichOneThreadIsPermitted)
{
    const plan all = place(recorded("one-thread-each"), {.ranks = 48});
    const plan one = place(recorded("one-core-allowed"), {.ranks = 1});

    EXPECT_EQ(threads_of(all).at(47), "47");
    EXPECT_EQ(threads_of(one), std::vector<std::string>{"0,48"});
    EXPECT_TRUE(mentions(refusal(recorded("one-core-allowed"), {.ranks = 2}), "1 core is usable"));
}

// BC-83: four ranks where the container has two processors.
TEST(Plans, RefuseMoreRanksThanUsableCores)
{
    machine where = topology::load_synthetic("package:1 core:4 pu:1");
    where.allowed_threads = {1, 3};

    const std::string words = refusal(where, {.ranks = 4});

    EXPECT_TRUE(mentions(words, "4 ranks")) << words;
    EXPECT_TRUE(mentions(words, "2 cores are usable (hardware threads 1,3)")) << words;
    EXPECT_TRUE(mentions(words, "--oversubscribe")) << words;
    EXPECT_EQ(threads_of(place(where, {.ranks = 4, .oversubscribe = true})),
              (std::vector<std::string>{"1", "3", "1", "3"}));
}

TEST(Plans, RefuseMoreRanksThanGpus)
{
    const machine where = recorded("one-package");

    const std::string words = refusal(where, {.ranks = 5});

    EXPECT_TRUE(mentions(words, "5 ranks on 4 GPUs")) << words;
    EXPECT_TRUE(mentions(words, "--share-gpus")) << words;
    EXPECT_EQ(place(where, {.ranks = 5, .share_gpus = true}).ranks.size(), 5U);
}

TEST(Plans, RefuseAnEmptyIntersectionWithTheCgroup)
{
    const std::string words =
        refusal(recorded("cgroup-holes"), {.ranks = 1, .limits = {rank_limit{.threads = {4, 5}}}});

    EXPECT_TRUE(mentions(words, "inherited mask is '4-5'")) << words;
    EXPECT_TRUE(mentions(words, "permits '1-3,6,9-10,26'")) << words;
}

TEST(Plans, KeepRanksInsideTheMasksOfTheStarter)
{
    const machine where = recorded("dgx-h100");

    const plan p =
        place(where, {.ranks = 2, .limits = {rank_limit{.threads = {56, 57}}, rank_limit{.threads = {3}}}});

    EXPECT_EQ(threads_of(p), (std::vector<std::string>{"56-57", "3"}));
    EXPECT_EQ(gpus_of(where, p), (std::vector<std::string>{"0000:9d:00.0", "0000:1b:00.0"}));
}

// Greedy choice would give core 0 to the first rank and leave the second without.
TEST(Plans, FindTheOnlyAssignmentOfOverlappingMasks)
{
    const machine where = topology::load_synthetic("package:1 core:3 pu:1");

    const plan p = place(where, {.ranks = 3,
                                 .limits = {rank_limit{.threads = {0, 1}}, rank_limit{.threads = {1, 2}},
                                            rank_limit{.threads = {0, 2}}}});

    std::set<std::string> distinct;
    for (const std::string& threads : threads_of(p))
        distinct.insert(threads);
    EXPECT_EQ(distinct.size(), 3U);
}

// BC-78: each rank was started with only its own GPU visible.
TEST(Plans, HonourTheGpuThatEachRankSees)
{
    const machine where = recorded("one-package");

    const plan p = place(where, {.ranks = 2,
                                 .limits = {rank_limit{.gpus = std::vector<std::string>{"0000:40:00.0"}},
                                            rank_limit{.gpus = std::vector<std::string>{"0000:10:00.0"}}}});

    EXPECT_EQ(gpus_of(where, p), (std::vector<std::string>{"0000:40:00.0", "0000:10:00.0"}));
}

TEST(Plans, AssignGpusToProgramsWithoutALauncher)
{
    const machine where = recorded("dgx-h100");
    const std::vector<rank_limit> limits{rank_limit{.threads = {56}}, rank_limit{.threads = {0}},
                                         rank_limit{.threads = {57}}};

    const std::vector<int> gpus = assign_gpus(where, limits);

    EXPECT_EQ(gpus, (std::vector<int>{4, 0, 5}));
}

} // namespace
} // namespace rankfold::launcher::testing
