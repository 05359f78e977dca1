// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The choices that all ranks make alike from the same facts: transport, nodes.
#include "setup/path.hpp"

#include "rankfold/error.hpp"

#include <gtest/gtest.h>

namespace rankfold::detail {
namespace {

/// Ranks with a GPU each, on the given nodes.
std::vector<rank_info> ranks_on(const std::vector<int>& nodes)
{
    std::vector<rank_info> facts(nodes.size());
    for (std::size_t r = 0; r < nodes.size(); ++r) {
        facts[r] = {};
        facts[r].node = nodes[r];
        facts[r].device = 0;
        facts[r].nccl_build = facts[r].nccl_runtime = 22809;
        put(facts[r].host, "node" + std::to_string(nodes[r]));
        put(facts[r].gpu_uuid, "GPU-" + std::to_string(r));
    }
    return facts;
}

TEST(NodeLayout, KeepsTheOrderOfRanksWithinNodes)
{
    const node_layout layout = lay_out_nodes(ranks_on({0, 1, 1, 0, 2, 2}));

    EXPECT_EQ(layout.ranks_per_node, 2);
    EXPECT_EQ(layout.rank_at, (std::vector<int>{0, 3, 1, 2, 4, 5}));
    EXPECT_EQ(layout.node_of(3), 0);
    EXPECT_EQ(layout.place_of(3), 1);
    EXPECT_EQ(layout.node_of(1), 1);
    EXPECT_EQ(layout.place_of(1), 0);
}

TEST(NodeLayout, IsNotOfNodesThatDiffer)
{
    EXPECT_EQ(lay_out_nodes(ranks_on({0, 0, 1})).ranks_per_node, 0);
    EXPECT_EQ(lay_out_nodes(ranks_on({0, 0, 0})).ranks_per_node, 3);
}

TEST(PretendedNodes, AreCutOrDealtOut)
{
    const auto nodes_of = [](node_size size) {
        std::vector<rank_info> facts = ranks_on({0, 0, 0, 0, 0});
        for (rank_info& f : facts) {
            f.fake_nodes = size;
        }
        pretend_nodes(facts);
        std::vector<int> nodes;
        nodes.reserve(facts.size());
        for (const rank_info& f : facts) {
            nodes.push_back(f.node);
        }
        return nodes;
    };

    EXPECT_EQ(nodes_of({}), (std::vector<int>{0, 0, 0, 0, 0}));
    EXPECT_EQ(nodes_of({2, false}), (std::vector<int>{0, 0, 1, 1, 2}));
    EXPECT_EQ(nodes_of({2, true}), (std::vector<int>{0, 1, 2, 0, 1}));
    EXPECT_EQ(nodes_of({9, false}), (std::vector<int>{0, 0, 0, 0, 0}));
}

TEST(Path, IsNcclForOneGpuPerRank)
{
    EXPECT_EQ(choose_path(ranks_on({0, 0, 1, 1})).transport, transport::nccl);
}

TEST(Path, IsMpiWithAWarningWhereRanksShareAGpu)
{
    std::vector<rank_info> facts = ranks_on({0, 0});
    facts[1].gpu_uuid = facts[0].gpu_uuid;

    const choice_of_path path = choose_path(facts);

    EXPECT_EQ(path.transport, transport::mpi);
    EXPECT_NE(path.warning.find("share a GPU"), std::string::npos);
}

/// What ranks ask for, against what there is: on hosts, sharing a GPU, with a GPU each.
enum class machine { hosts, shared_gpu, gpus };

std::vector<rank_info> ranks_that_ask(machine there, std::size_t size, transport asked)
{
    std::vector<rank_info> facts = ranks_on(std::vector<int>(size, 0));
    for (rank_info& f : facts) {
        f.transport = asked;
        f.device = there == machine::hosts ? -1 : 0;
        if (there == machine::shared_gpu) {
            f.gpu_uuid = facts[0].gpu_uuid;
        }
    }
    return facts;
}

TEST(Path, OfSeveralRanksIsTheOneThatTheyAskForOrAnError)
{
    const auto expect = [](machine there, transport asked, bool possible) {
        SCOPED_TRACE(to_string(asked));
        const std::vector<rank_info> facts = ranks_that_ask(there, 2, asked);
        if (possible) {
            EXPECT_EQ(choose_path(facts).transport, asked);
        } else {
            EXPECT_THROW((void)choose_path(facts), error);
        }
    };
    for (const machine there : {machine::hosts, machine::shared_gpu, machine::gpus}) {
        expect(there, transport::mpi, true);
        expect(there, transport::nccl, there == machine::gpus);
        expect(there, transport::peer, there == machine::gpus);
        expect(there, transport::self, false);
    }
}

/// The survivors of a failure may be one rank, in an environment made for more.
TEST(Path, OfOneRankIsItsOwnWhateverSeveralCouldHave)
{
    for (const transport asked :
         {transport::automatic, transport::self, transport::mpi, transport::nccl, transport::peer}) {
        SCOPED_TRACE(to_string(asked));
        EXPECT_EQ(choose_path(ranks_that_ask(machine::gpus, 1, asked)).transport, transport::self);
    }
    EXPECT_EQ(choose_path(ranks_that_ask(machine::hosts, 1, transport::mpi)).transport, transport::self);
    EXPECT_THROW((void)choose_path(ranks_that_ask(machine::hosts, 1, transport::nccl)), error);
    EXPECT_THROW((void)choose_path(ranks_that_ask(machine::hosts, 1, transport::peer)), error);
}

TEST(Path, NeedsTheSameNodesOnAllRanks)
{
    std::vector<rank_info> facts = ranks_on({0, 0});
    facts[1].fake_nodes = {2, true};

    EXPECT_THROW((void)choose_path(facts), error);
}

} // namespace
} // namespace rankfold::detail
