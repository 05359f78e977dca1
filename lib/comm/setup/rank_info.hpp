// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What every rank knows of every other since construction.
#pragma once

#include "runtime/fixed_text.hpp"

#include "rankfold/communicator.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace rankfold::detail {

/// How many ranks the tests pretend to be a node; 0: nodes as they are.
struct node_size {
    std::int32_t ranks = 0;
    bool cyclic = false; ///< neighbouring ranks on different nodes
};

/// Whether kernels leave room for others is decided by each rank, where nothing was asked for.
inline constexpr std::uint8_t coexists_by_itself = 2;

/// Gathered as bytes; fixed size.
struct rank_info {
    std::array<char, 64> host;
    std::array<char, 192> problem;   ///< why this rank cannot take part; empty if it can
    std::array<char, 160> no_device; ///< why it has no GPU
    std::array<char, 16> library_version;
    std::array<char, 64> gpu_name;
    std::array<char, 16> gpu_bus_id;
    std::array<char, 40> gpu_uuid;
    std::array<char, 128> locality; ///< of threads and GPU
    std::int32_t pid;
    std::int32_t node;
    std::int32_t threads;
    std::int32_t devices; ///< CUDA devices visible to the rank
    std::int32_t device;  ///< chosen ordinal, -1 if none
    std::int32_t nccl_build;
    std::int32_t nccl_runtime;
    rankfold::backend backend;     ///< asked for
    rankfold::transport transport; ///< asked for
    std::uint8_t starved;          ///< bound to one core while others idle
    std::uint8_t coexists;         ///< 0, 1, or coexists_by_itself
    double timeout_s;
    node_size fake_nodes;  ///< asked for
    std::int64_t begin_us; ///< of this communicator's construction, since the Unix epoch
};

/// Which ranks are on which node.
struct node_layout {
    int ranks_per_node = 0;   ///< 0 where nodes have different numbers of ranks; then nothing else is known
    std::vector<int> rank_at; ///< by node * ranks_per_node + place; ranks of a node in their order

    [[nodiscard]] int node_of(int rank) const noexcept { return index_of(rank) / ranks_per_node; }
    [[nodiscard]] int place_of(int rank) const noexcept { return index_of(rank) % ranks_per_node; }

private:
    [[nodiscard]] int index_of(int rank) const noexcept;
};
node_layout lay_out_nodes(const std::vector<rank_info>& ranks);

/// Numbers of nodes of the pretended size instead of the real ones, where a size is asked for.
void pretend_nodes(std::vector<rank_info>& ranks);

/// A name that no other communicator of the job has: made from what is known of rank 0.
std::string unique_name(const std::vector<rank_info>& ranks);

} // namespace rankfold::detail
