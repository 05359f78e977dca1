// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "topology/binding.hpp"
#include "topology/describe.hpp"
#include "topology/error.hpp"
#include "topology/load.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <linux/mempolicy.h>
#include <random>
#include <sched.h>
#include <set>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace rankfold::topology {
namespace {

TEST(IndexSet, ReadsAndWritesTheKernelsLists)
{
    EXPECT_EQ(index_set::parse("0-3,8,64-65").to_vector(), (std::vector<int>{0, 1, 2, 3, 8, 64, 65}));
    EXPECT_EQ(index_set({65, 8, 64, 0, 1}).to_string(), "0-1,8,64-65");
    EXPECT_EQ(index_set::parse("").to_string(), "");
    for (const char* bad :
         {",", "1,", ",1", "1-", "-1", "3-1", "a", "1 2", "65536", "0-65536", "99999999999"})
        EXPECT_THROW(index_set::parse(bad), topology_error) << bad;
    EXPECT_THROW(index_set({-1}), topology_error);
}

TEST(IndexSet, AgreesWithASetOfNumbers)
{
    std::mt19937 random(7);
    std::uniform_int_distribution<int> number(0, 200);
    for (int round = 0; round < 200; ++round) {
        index_set a;
        index_set b;
        std::set<int> expected_a;
        std::set<int> expected_b;
        for (int i = 0; i < 20; ++i) {
            const int x = number(random);
            const int y = number(random);
            a.insert(x);
            b.insert(y);
            expected_a.insert(x);
            expected_b.insert(y);
        }
        std::set<int> both;
        std::set_intersection(expected_a.begin(), expected_a.end(), expected_b.begin(), expected_b.end(),
                              std::inserter(both, both.end()));

        EXPECT_EQ((a & b).to_vector(), std::vector<int>(both.begin(), both.end()));
        EXPECT_EQ(a.count(), static_cast<int>(expected_a.size()));
        EXPECT_EQ(a.first(), *expected_a.begin());
        EXPECT_EQ(a.intersects(b), !both.empty());
        EXPECT_EQ(index_set::parse(a.to_string()), a);
        EXPECT_EQ(a.contains(b), both.size() == expected_b.size());
        EXPECT_TRUE(a.contains(a & b));
        EXPECT_EQ((a & b).empty(), both.empty());
    }
}

TEST(BusId, HasOneForm)
{
    for (const char* text : {"0000:3b:00.0", "00000000:3B:00.0", "3b:00.0", "0:3b:0.0"})
        EXPECT_EQ(normalise_bus_id(text), "0000:3b:00.0") << text;
    EXPECT_EQ(normalise_bus_id("0001:3b:00.0"), "0001:3b:00.0");
    for (const char* bad :
         {"", "3b", "3b:00", "3b:00.8", "3b:20.0", "100:00.0:", "gg:00.0", "1:2:3:4.5", ":.", "0000::00.0"})
        EXPECT_THROW(normalise_bus_id(bad), topology_error) << bad;
}

TEST(Load, ReadsASyntheticMachine)
{
    const machine where = load_synthetic("package:2 numa:2 core:3 pu:2");

    EXPECT_EQ(where.packages, 2);
    EXPECT_EQ(where.numa_nodes.size(), 4U);
    EXPECT_EQ(where.cores.size(), 12U);
    EXPECT_EQ(where.allowed_threads.count(), 24);
    EXPECT_EQ(where.cores[7].numa, 2);
    EXPECT_EQ(where.cores[7].package, 1);
    EXPECT_EQ(where.distance(0, 0), 10);
    EXPECT_LT(where.distance(0, 1), where.distance(0, 2));
    EXPECT_FALSE(where.live);
}

TEST(Load, ReadsThisMachine)
{
    const machine here = load_live(gpu_source::none);

    EXPECT_TRUE(here.live);
    EXPECT_FALSE(here.cores.empty());
    EXPECT_EQ(here.allowed_threads, threads_of_process(0) & here.cgroup_threads);
    EXPECT_EQ(difference(here, here), "");
}

TEST(Load, RefusesTextThatIsNoTopology)
{
    EXPECT_THROW(load_xml_text("<topology><object"), topology_error);
    EXPECT_THROW(load_xml_text(""), topology_error);
    EXPECT_THROW(load_synthetic("cores"), topology_error);
}

TEST(Difference, NamesTheFirstThingThatDiffers)
{
    const machine a = load_synthetic("package:2 core:2 pu:1");

    EXPECT_EQ(difference(a, load_synthetic("package:1 core:2 pu:1")), "it has 4 cores and this machine 2");
    EXPECT_EQ(difference(a, load_synthetic("package:2 core:2 pu:2")),
              "its core 0 has hardware threads 0 and this machine's 0-1");
}

TEST(Locality, TellsLocalFromRemote)
{
    machine where = load_synthetic("package:2 numa:1 core:2 pu:1");
    where.gpus.push_back({.bus_id = "0000:3b:00.0", .threads = where.numa_nodes[1].threads});

    const locality near = locate(where, {2, 3}, 0, {1});
    const locality far = locate(where, {0}, 0, {0});

    EXPECT_TRUE(near.threads_local && near.pages_local);
    EXPECT_EQ(near.distance, 10);
    EXPECT_FALSE(far.threads_local || far.pages_local);
    EXPECT_EQ(far.distance, 20);
    EXPECT_EQ(describe(where, {2, 3}, 0, {1}),
              "GPU 0000:3b:00.0 NUMA 1, threads 2-3 NUMA 1 (local, distance 10), pages NUMA 1 (local)");
    EXPECT_EQ(describe(where, {0}, 0, {}), "GPU 0000:3b:00.0 NUMA 1, threads 0 NUMA 0 (remote, distance 20)");
    EXPECT_EQ(describe(where, {0, 3}, -1, {}), "threads 0,3 NUMA 0-1 (local, distance 10)");
}

TEST(Binding, IsReadBackFromTheKernel)
{
    const binding before = read_binding();
    const index_set one{before.threads.first()};

    const binding_result result = bind_thread({.threads = one});
    cpu_set_t mask;
    ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
    bind_thread({.threads = before.threads});

    EXPECT_EQ(result.thread_error, "");
    EXPECT_EQ(result.held.threads, one);
    EXPECT_EQ(CPU_COUNT(&mask), 1);
    EXPECT_TRUE(CPU_ISSET(static_cast<unsigned>(one.first()), &mask));
}

TEST(Binding, ReportsWhatTheKernelRefuses)
{
    const binding_result result = bind_thread({.threads = {8000}});

    EXPECT_NE(result.thread_error.find("cannot bind to hardware threads 8000"), std::string::npos)
        << result.thread_error;
}

// As under numactl --membind: a strict policy must not become a preference, which may spill to other nodes.
TEST(Binding, KeepsAnInheritedMemoryLimitStrict)
{
    const unsigned long first_node = 1;
    if (syscall(SYS_set_mempolicy, MPOL_BIND, &first_node, 8 * sizeof first_node) != 0)
        GTEST_SKIP() << "memory binding is not permitted here";

    const index_set limit = memory_limit();
    const machine here = load_live(gpu_source::none);
    const binding_result result = bind_thread({here.allowed_threads, here.allowed_nodes});
    int mode = -1;
    syscall(SYS_get_mempolicy, &mode, nullptr, 0UL, nullptr, 0UL);
    syscall(SYS_set_mempolicy, MPOL_DEFAULT, nullptr, 0UL);

    EXPECT_EQ(limit, index_set{0});
    EXPECT_EQ(here.allowed_nodes, index_set{0});
    EXPECT_EQ(result.memory_error, "");
    EXPECT_EQ(mode, MPOL_BIND);
}

TEST(Pages, HaveNodesOnceTouched)
{
    const std::vector<char> touched(1 << 20, 'x');

    const index_set nodes = nodes_of_pages(touched.data(), touched.size());

    EXPECT_TRUE(load_live(gpu_source::none).allowed_nodes.contains(nodes));
    EXPECT_TRUE(nodes_of_pages(nullptr, 0).empty());
}

} // namespace
} // namespace rankfold::topology
