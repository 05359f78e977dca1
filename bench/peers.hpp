// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Section `peers`: the local phases of one rank against CUB, on one GPU.
#pragma once

#include "gpu.hpp"

namespace rankfold::bench {

/// Memory of a contest: input, results of both sides, what both work in.
struct arena {
    std::byte* input;
    std::byte* own_result;
    std::byte* rival_result;
    std::byte* own_workspace; ///< zeroed before the first call of an operation
    std::byte* rival_workspace;
    std::size_t rival_workspace_bytes;
};

/// One element type and operator. The inputs are small integers, so that results are exact in every type and
/// every order, and those of both sides have equal bytes.
struct contest {
    std::string type;
    std::string op;
    std::size_t element_bytes;
    std::function<bool()> compiled; ///< false where the library was built without this type
    std::function<std::size_t(std::int64_t count)> own_workspace_bytes;
    std::function<std::size_t(std::int64_t count)> rival_workspace_bytes;
    std::function<std::size_t(std::int64_t count)> result_bytes;
    std::function<void(const arena&, std::int64_t count)> fill;
    std::function<void(const arena&, std::int64_t count)> own;
    std::function<void(const arena&, std::int64_t count)> rival;
};

[[nodiscard]] std::vector<contest> reduce_contests(const gpu& device);
[[nodiscard]] std::vector<contest> scan_contests(const gpu& device);

struct peers_options {
    std::string kind; ///< reduce or scan
    std::vector<std::string> types;
    std::size_t min_bytes = std::size_t{1} << 10;
    std::size_t max_bytes = std::size_t{4} << 30;
    int repeats = 21;
    std::string json;    ///< file for JSON lines, or empty
    std::string command; ///< as it was typed
};

/// @return 0, or 1 if any result was wrong
int run_peers(const peers_options& options);

} // namespace rankfold::bench
