// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Section `ladder`: the climb of a reduction and of a scan from naive to fast, rung by rung, in one run.
#pragma once

#include "group.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace rankfold::bench {

struct ladder_options {
    std::string kind; ///< reduce or scan
    std::vector<std::int64_t>
        counts; ///< elements of a rank's piece; those of the articles and a sweep if empty
    std::vector<std::string> rungs; ///< all if empty
    int repeats = 21;
    std::string json;    ///< file for JSON lines, or empty
    std::string command; ///< that gives these results again
};

/// Collective. One rank: every rung on one GPU; more: what a distributed sum or scan is put together of.
/// @return 0, or 1 if any result was wrong
int run_ladder(const ladder_options& options, const group& ranks);

} // namespace rankfold::bench
