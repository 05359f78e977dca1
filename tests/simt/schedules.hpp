// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a test under many schedules. A seed that fails is printed with its description;
// RANKFOLD_SIMT_SEED=<seed> reruns that one alone, and RANKFOLD_SIMT_SCHEDULES=<count> asks for more or fewer
// of them than the test does by itself.
#pragma once

#include "executor/machine.hpp"

#include <functional>
#include <string>

namespace rankfold::simt::executor {

/// Gets a schedule, runs, and returns what was wrong; empty: nothing.
using trial = std::function<std::string(const schedule&)>;

/// Wide warps cost more: counts are divided by this.
static constexpr int fewer = warp_size <= 4 ? 1 : 40;

/// Expects that `run` finds nothing wrong under `count` schedules (a tenth of them under sanitizers).
void expect_right(int count, const trial& run);

/// Expects that `run` finds something wrong within `count` schedules, and says at which one.
void expect_caught(const std::string& mutation, int count, const trial& run);

} // namespace rankfold::simt::executor
