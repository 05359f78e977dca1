// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Times of interleaved runs: one process or many.
#pragma once

#include "gpu.hpp"
#include "group.hpp"

namespace rankfold::bench {

/// How a time is taken: so many calls back to back between two events, all actions in turn, so many times.
struct timing {
    int calls;
    int repeats;
    bool graph;      ///< the calls replayed from a graph
    action before{}; ///< enqueued ahead of every time that is taken, and not part of it
};

/// Medians of microseconds per call, in the order of the actions; each repeat counts as long as its slowest
/// rank took. Collective, waits.
[[nodiscard]] std::vector<double> medians_us(const group& ranks, const gpu& device,
                                             const std::vector<action>& actions, const timing& how);

} // namespace rankfold::bench
