// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Section `peers`: the library against what one would write by hand, on one GPU or across ranks.
#pragma once

#include "contest.hpp"
#include "group.hpp"

#include <optional>

namespace rankfold::bench {

struct peers_options {
    std::string kind; ///< reduce, scan or exscan
    std::vector<std::string> types;
    std::optional<std::size_t> min_bytes; ///< of a piece
    std::optional<std::size_t> max_bytes;
    bool only_graph = false; ///< of eager and in a graph
    bool only_eager = false;
    int repeats = 21;
    std::string json;    ///< file for JSON lines, or empty
    std::string command; ///< that gives these results again
};

/// Collective. One rank: local phases against CUB; more: whole calls against CUB + NCCL and CUB + MPI.
/// @return 0, or 1 if any result was wrong
int run_peers(const peers_options& options, const group& ranks);

// The contests of one GPU.
[[nodiscard]] std::vector<contest> reduce_contests(const gpu& device);
[[nodiscard]] std::vector<contest> scan_contests(const gpu& device);

} // namespace rankfold::bench
