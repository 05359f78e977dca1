// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random choices that all ranks make alike.
#pragma once

#include "support/distributed.hpp"
#include "support/distributions.hpp"

#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

namespace rankfold::test {

/// What rank 0 finds in the environment.
[[nodiscard]] inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise)
{
    const char* text = std::getenv(variable);
    std::uint64_t number = text ? std::strtoull(text, nullptr, 10) : otherwise;
    MPI_Bcast(&number, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return number;
}

/// RANKFOLD_TEST_SEED, else a new one; printed.
[[nodiscard]] inline std::uint64_t announced_seed()
{
    const std::uint64_t seed = number_from("RANKFOLD_TEST_SEED", std::random_device{}());
    if (world_rank() == 0) {
        std::printf("RANKFOLD_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
    }
    return seed;
}

/// The same on every rank: all draw the same numbers.
class dice {
public:
    static constexpr std::int64_t largest_piece = 20000;

    explicit dice(std::uint64_t seed) : engine_(seed) {}
    std::int64_t below(std::int64_t limit)
    {
        return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(limit));
    }
    bool one_in(std::int64_t n) { return below(n) == 0; }

    layout pieces()
    {
        const std::int64_t largest = one_in(20) ? largest_piece : one_in(3) ? 2 : 400;
        std::vector<std::int64_t> counts;
        for (int r = 0; r < world_size(); ++r) {
            const bool empty = one_in(4);
            const std::int64_t count = below(largest + 1);
            counts.push_back(empty ? 0 : count);
        }
        return layout_of(counts, world_rank());
    }

private:
    std::mt19937_64 engine_;
};

} // namespace rankfold::test
