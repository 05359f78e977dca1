// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule.hpp"

#include "random.hpp"

#include <array>

namespace rankfold::simt::executor {
namespace {

template <std::size_t N>
std::uint32_t pick(random_source& random, const std::array<std::uint32_t, N>& choices)
{
    return choices[random.below(N)];
}

const char* to_string(fairness mode)
{
    switch (mode) {
    case fairness::fair:
        return "fair";
    case fairness::random:
        return "random";
    case fairness::starved_block:
        return "one block starved";
    case fairness::newest_first:
        return "newest first";
    }
    return "";
}

const char* to_string(block_order order)
{
    switch (order) {
    case block_order::by_index:
        return "by index";
    case block_order::backwards:
        return "backwards";
    case block_order::shuffled:
        return "shuffled";
    }
    return "";
}

} // namespace

schedule schedule::from_seed(std::uint64_t seed)
{
    random_source random(seed * 0x9e3779b97f4a7c15ull + 1);
    schedule s;
    s.seed = seed;
    s.mode = static_cast<fairness>(seed % 4);
    s.resident_blocks = static_cast<int>(pick<8>(random, {1, 1, 2, 2, 3, 5, 1 << 20, 1 << 20}));
    s.starts = static_cast<block_order>(random.below(3));
    s.switch_weight = pick<4>(random, {2, 16, 64, 255});
    s.stale_weight = pick<4>(random, {0, 64, 160, 250});
    s.copy_weight = pick<3>(random, {4, 32, 255});
    s.ask_period = pick<3>(random, {1, 3, 8});
    return s;
}

std::string schedule::describe() const
{
    const std::string resident = resident_blocks < (1 << 20) ? std::to_string(resident_blocks) : "all";
    return "seed " + std::to_string(seed) + " (" + to_string(mode) + ", " + resident +
           " blocks resident, started " + to_string(starts) + ", switch " + std::to_string(switch_weight) +
           "/256, stale " + std::to_string(stale_weight) + "/256, copies " + std::to_string(copy_weight) +
           "/256)";
}

} // namespace rankfold::simt::executor
