// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which GPU and NIC a rank gets where the first one is not the right one.
#include "support.hpp"
#include "topology/place.hpp"

#include <gtest/gtest.h>

namespace rankfold::launcher::testing {
namespace {

using topology::machine;
using topology::rank_limit;

rank_limit sees(std::initializer_list<std::string> gpus)
{
    return {.threads = {}, .gpus = std::vector<std::string>(gpus)};
}

// The bridges above the GPU are one more than those above the NIC behind the same switch.
TEST(Nic, BehindTheSwitchOfTheGpuIsTaken)
{
    const machine where = recorded("deep-switch");

    const topology::plan p = place(where, {.ranks = 1, .limits = {sees({"0000:25:00.0"})}});

    ASSERT_EQ(where.nics.size(), 2U);
    EXPECT_EQ(where.nics.at(static_cast<std::size_t>(p.ranks[0].nic)).name, "mlx5_1");
}

TEST(Nic, OfALoneRankIsThatOfItsGpu)
{
    const machine where = recorded("dgx-h100");

    const topology::plan p = place(where, {.ranks = 1, .limits = {sees({"0000:52:00.0"})}});

    EXPECT_EQ(where.nics.at(static_cast<std::size_t>(p.ranks[0].nic)).name, "mlx5_4");
}

// Nodes 0, 1 and 2 have a rank each. A GPU between nodes 0 and 1 is as busy as the busier of them, one rank,
// and so not busier than the GPU at node 2: the lower id decides.
TEST(Gpu, NearTwoNodesIsAsBusyAsTheBusierOfThem)
{
    machine where = topology::load_synthetic("package:1 numa:3 core:4 pu:1");
    const auto add = [&](const char* id, std::initializer_list<int> nodes) {
        topology::gpu device;
        device.bus_id = id;
        for (const int node : nodes) {
            device.threads.insert(where.numa_nodes.at(static_cast<std::size_t>(node)).threads);
        }
        where.gpus.push_back(device);
    };
    add("0000:01:00.0", {0});
    add("0000:02:00.0", {1});
    add("0000:03:00.0", {2});
    add("0000:04:00.0", {0, 1});
    add("0000:05:00.0", {2});

    const std::vector<rank_limit> limits{sees({"0000:01:00.0"}), sees({"0000:02:00.0"}),
                                         sees({"0000:03:00.0"}), sees({"0000:04:00.0", "0000:05:00.0"})};

    EXPECT_EQ(assign_gpus(where, limits), (std::vector<int>{0, 1, 2, 3}));
}

} // namespace
} // namespace rankfold::launcher::testing
