// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankfold/host/parallel.hpp"

#include <algorithm>

namespace rankfold::host {
namespace {

// No more threads than blocks: a team of one costs nothing.
int team(int threads, std::int64_t count)
{
    return static_cast<int>(std::clamp<std::int64_t>(threads, 1, std::max<std::int64_t>(count, 1)));
}

} // namespace

void for_each_block(int threads, std::int64_t count, walk direction, block_function_view body)
{
#pragma omp parallel for schedule(static) num_threads(team(threads, count))
    for (std::int64_t i = 0; i < count; ++i) {
        body(direction == walk::forwards ? i : count - 1 - i);
    }
}

void for_each_block_in_turn(int threads, std::int64_t count, block_function_view body)
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(team(threads, count))
    for (std::int64_t i = 0; i < count; ++i) {
        body(i);
    }
}

void in_order(std::int64_t block, block_function_view section)
{
#pragma omp ordered
    section(block);
}

} // namespace rankfold::host
