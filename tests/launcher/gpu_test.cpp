// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
// GPUs as a stand-in for the CUDA driver tells them: chosen by bus id, whatever CUDA's order.
#include "support.hpp"

#include "topology/error.hpp"
#include "topology/place.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace rankfold::launcher::testing {
namespace {

using words = std::vector<std::string>;

words with_gpus(int rank, int size, const std::string& devices, const words& more = {})
{
    words all{std::string("LD_LIBRARY_PATH=") + FAKE_CUDA, "FAKE_CUDA_DEVICES=" + devices,
              "OMPI_COMM_WORLD_LOCAL_RANK=" + std::to_string(rank),
              "OMPI_COMM_WORLD_LOCAL_SIZE=" + std::to_string(size), "CUDA_VISIBLE_DEVICES"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

TEST(Gpus, AreChosenByBusIdWhateverTheOrderOfCuda)
{
    for (const char* devices : {"0000:1B:00.0,0000:43:00.0", "0000:43:00.0,0000:1B:00.0"}) {
        const outcome first = run(tool({"--oversubscribe", "--", PROBE}), with_gpus(0, 2, devices));
        const outcome second = run(tool({"--oversubscribe", "--", PROBE}), with_gpus(1, 2, devices));

        EXPECT_TRUE(has(first.out, "RANKFOLD_DEVICE=0000:1b:00.0\n")) << first.out << first.err;
        EXPECT_TRUE(has(second.out, "RANKFOLD_DEVICE=0000:43:00.0\n")) << second.out << second.err;
        EXPECT_FALSE(has(first.out, "CUDA_VISIBLE_DEVICES"));
    }
}

TEST(Gpus, CanBeHiddenFromOtherRanks)
{
    const outcome got = run(tool({"--oversubscribe", "--gpu-visible=one", "--", PROBE}),
                            with_gpus(0, 2, "0000:43:00.0,0000:1B:00.0"));

    EXPECT_TRUE(has(got.out, "CUDA_VISIBLE_DEVICES=GPU-00000000-0000-0000-0000-000000000002\n"))
        << got.out << got.err;
}

TEST(Gpus, GoByUuidWhenTheyAreMigSlices)
{
    const outcome got =
        run(tool({"--oversubscribe", "--", PROBE}), with_gpus(1, 2, "mig:0000:1B:00.0,mig:0000:1B:00.0"));

    EXPECT_TRUE(has(got.out, "RANKFOLD_DEVICE=MIG-00000000-0000-0000-0000-000000000002\n"))
        << got.out << got.err;
}

// BC-74: more ranks than GPUs.
TEST(Gpus, AreSharedOnlyIfAskedFor)
{
    const outcome refused = run(tool({"--oversubscribe", "--", PROBE}), with_gpus(0, 2, "0000:1B:00.0"));
    const outcome shared =
        run(tool({"--oversubscribe", "--share-gpus", "--", PROBE}), with_gpus(1, 2, "0000:1B:00.0"));

    EXPECT_EQ(refused.status, 2);
    EXPECT_TRUE(has(refused.err, "2 ranks on 1 GPU")) << refused.err;
    EXPECT_TRUE(has(refused.err, "--share-gpus")) << refused.err;
    EXPECT_TRUE(has(shared.out, "RANKFOLD_DEVICE=0000:1b:00.0\n")) << shared.err;
}

// BC-87: a driver that is too old, or sees nothing, leaves the host backend.
TEST(Gpus, AreDoneWithoutIfTheDriverHasNone)
{
    for (const char* status : {"FAKE_CUDA_STATUS=35", "FAKE_CUDA_STATUS=100"}) {
        const outcome got = run(tool({"--", PROBE}), with_gpus(0, 1, "0000:1B:00.0", {status}));
        const outcome doctor = run(tool({"--doctor"}), with_gpus(0, 1, "0000:1B:00.0", {status}));

        EXPECT_EQ(got.status, 0) << got.err;
        EXPECT_FALSE(has(got.out, "RANKFOLD_DEVICE"));
        EXPECT_TRUE(has(doctor.out, "no GPU can be used: the CUDA driver says")) << doctor.out;
    }
}

TEST(Gpus, AreSeenByTheDoctor)
{
    const outcome poor = run(tool({"--doctor"}), with_gpus(0, 2, "0000:1B:00.0,0000:43:00.0"));
    const outcome rich =
        run(tool({"--doctor"}), with_gpus(0, 2, "0000:1B:00.0,0000:43:00.0", {"FAKE_CUDA_PEERS=1"}));

    EXPECT_EQ(poor.status, 1);
    EXPECT_TRUE(has(poor.out, "no peer access between 0000:1b:00.0 and 0000:43:00.0")) << poor.out;
    EXPECT_TRUE(has(rich.out, "every GPU reaches every other")) << rich.out;
}

// BC-77: the driver's order differs from the PCI tree's; cores are those near the bus id that the device
// reports.
TEST(Gpus, OfTheDriverGetTheirPlaceFromThePciTree)
{
    const topology::machine tree = recorded("reversed-numa");
    topology::machine process = tree;
    process.gpus.clear();
    for (const int position : {5, 2, 7})
        process.gpus.push_back({.bus_id = tree.gpus.at(static_cast<std::size_t>(position)).bus_id,
                                .uuid = "GPU-" + std::to_string(position),
                                .ordinal = static_cast<int>(process.gpus.size())});

    const topology::machine joined = as_live(tree, process);
    const topology::plan plan = topology::place(joined, {.ranks = 3});

    EXPECT_EQ(joined.hidden_gpus.size(), 5U);
    std::vector<int> ordinals;
    for (const topology::placement& rank : plan.ranks) {
        const topology::gpu& device = joined.gpus.at(static_cast<std::size_t>(rank.gpu));
        const int there = tree.find_gpu(device.bus_id);
        EXPECT_TRUE(tree.gpus.at(static_cast<std::size_t>(there)).threads.contains(rank.threads));
        ordinals.push_back(device.ordinal);
    }
    EXPECT_EQ(ordinals, (std::vector<int>{1, 0, 2})) << "ascending bus ids are positions 2, 5, 7";
}

TEST(Gpus, OfAnotherMachineAreRefused)
{
    EXPECT_THROW(as_live(recorded("dgx-h100"), recorded("no-gpu")), topology::topology_error);
}

} // namespace
} // namespace rankfold::launcher::testing
