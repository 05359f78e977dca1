// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
// Random machines with random cgroups: what must hold of every plan, checked from its definition.
#include "topology/error.hpp"
#include "topology/load.hpp"
#include "topology/place.hpp"

#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <random>

namespace rankfold::launcher::testing {
namespace {

using topology::index_set;
using topology::machine;
using topology::placement;
using topology::plan;
using topology::request;

class machine_maker {
public:
    explicit machine_maker(unsigned seed) : random_(seed) {}

    int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
    bool chance(int percent) { return number(1, 100) <= percent; }

    machine make()
    {
        machine where;
        where.source = "random";
        where.packages = number(1, 3);
        const int nodes = where.packages * number(1, 4);
        const int threads = number(1, 2);
        const int cores_per_node = number(1, 9);
        const int cores = nodes * cores_per_node;
        for (int n = 0; n < nodes; ++n) {
            where.numa_nodes.push_back({.os_index = n, .package = n * where.packages / nodes});
            where.allowed_nodes.insert(n);
        }
        for (int c = 0; c < cores; ++c)
            add_core(where, c, c / cores_per_node, cores, threads);
        for (int g = 0; g < number(0, 8); ++g)
            add_gpu(where, g);
        return where;
    }

    request ask(const machine& where)
    {
        request what{.ranks = number(1, 12), .oversubscribe = chance(50), .share_gpus = chance(50)};
        if (chance(30))
            what.cores_per_rank = number(1, 4);
        if (chance(30))
            for (int r = 0; r < what.ranks; ++r)
                what.limits.push_back({.threads = mask(where)});
        return what;
    }

private:
    void add_core(machine& where, int c, int node, int cores, int threads)
    {
        index_set mine;
        for (int t = 0; t < threads; ++t) {
            mine.insert(t * cores + c);
            if (chance(85))
                where.allowed_threads.insert(t * cores + c);
        }
        where.numa_nodes[static_cast<std::size_t>(node)].threads.insert(mine);
        where.cores.push_back({.package = where.numa_nodes[static_cast<std::size_t>(node)].package,
                               .numa = node,
                               .threads = mine});
    }

    void add_gpu(machine& where, int g)
    {
        topology::gpu device;
        device.bus_id = topology::normalise_bus_id("0:" + std::to_string(10 + g) + ":0.0");
        if (chance(80))
            device.threads = where
                                 .numa_nodes[static_cast<std::size_t>(
                                     number(0, static_cast<int>(where.numa_nodes.size()) - 1))]
                                 .threads;
        where.gpus.push_back(device);
    }

    index_set mask(const machine& where)
    {
        index_set result;
        for (const int thread : where.allowed_threads.to_vector())
            if (chance(60))
                result.insert(thread);
        return result;
    }

    std::mt19937 random_;
};

index_set limit_of(const machine& where, const request& what, std::size_t rank)
{
    const index_set own = what.limits.empty() ? index_set() : what.limits[rank].threads;
    return own.empty() ? where.allowed_threads : own & where.allowed_threads;
}

void check(const machine& where, const request& what, const plan& p)
{
    ASSERT_EQ(p.ranks.size(), static_cast<std::size_t>(what.ranks));
    std::vector<int> core_uses(where.cores.size());
    std::vector<int> gpu_uses(where.gpus.size());
    for (std::size_t r = 0; r < p.ranks.size(); ++r) {
        const placement& rank = p.ranks[r];
        EXPECT_FALSE(rank.threads.empty());
        EXPECT_TRUE(limit_of(where, what, r).contains(rank.threads));
        EXPECT_TRUE(where.allowed_nodes.contains(rank.memory_nodes));
        EXPECT_GE(rank.omp_threads, 1);
        EXPECT_TRUE(what.cores_per_rank == 0 || what.oversubscribe ||
                    static_cast<int>(rank.cores.size()) == what.cores_per_rank);
        for (const int c : rank.cores)
            ++core_uses.at(static_cast<std::size_t>(c));
        EXPECT_EQ(rank.gpu < 0, where.gpus.empty());
        if (rank.gpu >= 0)
            ++gpu_uses.at(static_cast<std::size_t>(rank.gpu));
    }
    EXPECT_TRUE(what.oversubscribe || *std::max_element(core_uses.begin(), core_uses.end()) == 1);
    if (!gpu_uses.empty()) {
        const auto [least, most] = std::minmax_element(gpu_uses.begin(), gpu_uses.end());
        EXPECT_LE(*most - *least, 1) << "a GPU is used twice before another is used once";
        EXPECT_LE(*most, what.share_gpus ? what.ranks : 1);
    }
}

bool same(const plan& a, const plan& b)
{
    return std::equal(a.ranks.begin(), a.ranks.end(), b.ranks.begin(), b.ranks.end(),
                      [](const placement& x, const placement& y) {
                          return x.gpu == y.gpu && x.home == y.home && x.cores == y.cores &&
                                 x.threads == y.threads;
                      });
}

TEST(Properties, HoldOnRandomMachines)
{
    int placed = 0;
    for (unsigned seed = 0; seed < 2000; ++seed) {
        SCOPED_TRACE(seed);
        machine_maker maker(seed);
        const machine where = maker.make();
        const request what = maker.ask(where);
        try {
            const plan p = place(where, what);
            check(where, what, p);
            EXPECT_TRUE(same(p, place(where, what)));
            ++placed;
        } catch (const topology::topology_error& refused) {
            EXPECT_FALSE(std::string(refused.what()).empty());
        }
    }
    EXPECT_GT(placed, 700) << "most requests should be possible";
}

// With equal masks a refusal is right only when the ranks really exceed the cores or GPUs.
TEST(Properties, RefuseOnlyWhatCannotBe)
{
    for (unsigned seed = 0; seed < 2000; ++seed) {
        SCOPED_TRACE(seed);
        machine_maker maker(seed);
        const machine where = maker.make();
        request what = maker.ask(where);
        what.limits.clear();
        const auto usable =
            std::count_if(where.cores.begin(), where.cores.end(), [&](const topology::core& c) {
                return c.threads.intersects(where.allowed_threads);
            });
        const int each = std::max(1, what.cores_per_rank);
        const bool cores_fit =
            each <= usable && (what.oversubscribe || static_cast<long>(what.ranks) * each <= usable);
        const bool gpus_fit =
            where.gpus.empty() || what.share_gpus || what.ranks <= static_cast<int>(where.gpus.size());
        std::string refusal;
        try {
            place(where, what);
        } catch (const topology::topology_error& error) {
            refusal = error.what();
        }

        EXPECT_EQ(!refusal.empty(), usable == 0 || !cores_fit || !gpus_fit) << refusal;
    }
}

// Whether one core each can be given at all, by Hall's theorem: every set of ranks reaches as many cores as
// it has ranks.
bool one_core_each_is_possible(const machine& where, const request& what)
{
    std::vector<std::vector<bool>> reach;
    for (std::size_t r = 0; r < static_cast<std::size_t>(what.ranks); ++r) {
        reach.emplace_back();
        for (const topology::core& each : where.cores) {
            reach.back().push_back(each.threads.intersects(limit_of(where, what, r)));
        }
    }
    for (unsigned set = 1; set < 1U << what.ranks; ++set) {
        int cores = 0;
        for (std::size_t c = 0; c < where.cores.size(); ++c) {
            bool reached = false;
            for (std::size_t r = 0; r < reach.size(); ++r) {
                reached = reached || (((set >> r) & 1U) != 0 && reach[r][c]);
            }
            cores += reached ? 1 : 0;
        }
        if (cores < std::popcount(set)) {
            return false;
        }
    }
    return true;
}

bool is_placed(const machine& where, const request& what)
{
    try {
        place(where, what);
    } catch (const topology::topology_error&) {
        return false;
    }
    return true;
}

// Few cores and narrow masks that overlap: about half of these requests can be met.
TEST(Properties, RefuseOverlappingMasksOnlyIfNoAssignmentExists)
{
    int possible = 0;
    for (unsigned seed = 0; seed < 1000; ++seed) {
        SCOPED_TRACE(seed);
        machine_maker maker(seed);
        const int cores = maker.number(2, 6);
        const machine where = topology::load_synthetic("core:" + std::to_string(cores) + " pu:1");
        request what{.ranks = maker.number(2, cores)};
        for (int r = 0; r < what.ranks; ++r) {
            index_set mask{maker.number(0, cores - 1), maker.number(0, cores - 1)};
            what.limits.push_back({.threads = mask});
        }

        const bool expected = one_core_each_is_possible(where, what);

        EXPECT_EQ(is_placed(where, what), expected);
        possible += expected ? 1 : 0;
    }
    EXPECT_GT(possible, 200);
    EXPECT_LT(possible, 900);
}

// A search that keeps what it visited for an earlier rank does not find the only assignment.
TEST(Properties, OneCoreEachIsFoundAlongALongPath)
{
    const machine where = topology::load_synthetic("core:3 pu:1");
    const request what{.ranks = 3, .limits = {{.threads = {0, 1}}, {.threads = {1, 2}}, {.threads = {0, 1}}}};

    ASSERT_TRUE(one_core_each_is_possible(where, what));
    EXPECT_TRUE(is_placed(where, what));
}

} // namespace
} // namespace rankfold::launcher::testing
