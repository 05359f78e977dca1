// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a protocol kernel twice on one workspace under a schedule and compares with what is right.
#pragma once

#include "../schedules.hpp"
#include "lookback.hpp"
#include "words.hpp"

#include <numeric>
#include <vector>

namespace rankfold::simt::protocols {

inline std::vector<std::int32_t> iota(std::int32_t count)
{
    std::vector<std::int32_t> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), 0);
    return values;
}

inline std::string wrong_at(const char* what, std::int64_t i, std::uint64_t word)
{
    const interval found = to_interval(word);
    return std::string(what) + " " + std::to_string(i) + " is [" + std::to_string(found.begin) + ", " +
           std::to_string(found.end) + ")\n";
}

template <class Kernel>
std::string reduce_trial(const executor::schedule& how)
{
    const auto count = static_cast<std::int32_t>(1 + how.seed % 131);
    const int blocks = static_cast<int>(2 + how.seed % 4);
    const std::vector<std::int32_t> input = iota(count);
    std::vector<std::uint64_t> partials(static_cast<std::size_t>(blocks), ~std::uint64_t{0});
    std::uint32_t ticket = 0;
    executor::machine m(how);
    for (int call = 0; call < 2; ++call) {
        std::uint64_t result = 0;
        if (!m.launch<Kernel>({.blocks = blocks, .threads = 8},
                              {input.data(), count, partials.data(), &ticket, &result})) {
            return "refused\n";
        }
        const executor::outcome ran = m.run();
        if (!ran.ok()) {
            return ran.text;
        }
        if (to_interval(result) != interval{0, count}) {
            return wrong_at("the result of call", call, result);
        }
        std::fill(partials.begin(), partials.end(), 0);
    }
    return "";
}

/// The workspace of look-back kernels.
struct lookback_space {
    explicit lookback_space(std::int32_t tiles, int threads)
        : input(iota(tiles * threads)), output(input.size()), aggregates(static_cast<std::size_t>(tiles)),
          prefixes(aggregates), flags(static_cast<std::size_t>(tiles))
    {
    }
    lookback<>::arguments arguments(std::uint32_t epoch)
    {
        return {input.data(),
                output.data(),
                static_cast<std::int32_t>(flags.size()),
                epoch,
                aggregates.data(),
                prefixes.data(),
                flags.data(),
                tickets};
    }
    std::string check() const
    {
        for (std::size_t i = 0; i < output.size(); ++i) {
            if (to_interval(output[i]) != interval{0, static_cast<std::int32_t>(i) + 1}) {
                return wrong_at("output", static_cast<std::int64_t>(i), output[i]);
            }
        }
        return "";
    }

    std::vector<std::int32_t> input;
    std::vector<std::uint64_t> output;
    std::vector<std::uint64_t> aggregates;
    std::vector<std::uint64_t> prefixes;
    std::vector<std::uint32_t> flags;
    std::uint32_t tickets[2] = {0, 0};
};

template <class Kernel>
std::string lookback_trial(const executor::schedule& how)
{
    lookback_space space(static_cast<std::int32_t>(1 + how.seed % 11), 8);
    executor::machine m(how);
    for (std::uint32_t epoch = 1; epoch <= 2; ++epoch) {
        const lookback<>::arguments a = space.arguments(epoch);
        const typename Kernel::arguments args{a.input,      a.output,   a.tiles, a.epoch,
                                              a.aggregates, a.prefixes, a.flags, a.tickets};
        if (!m.launch<Kernel>({.blocks = static_cast<int>(2 + how.seed % 3), .threads = 8}, args)) {
            return "refused\n";
        }
        const executor::outcome ran = m.run();
        const std::string wrong = ran.ok() ? space.check() : ran.text;
        if (!wrong.empty()) {
            return wrong;
        }
        std::fill(space.output.begin(), space.output.end(), 0);
    }
    return "";
}

inline std::uint64_t lookback_steps(const executor::schedule& how)
{
    lookback_space space(9, 8);
    executor::machine m(how);
    const bool fits = m.launch<lookback<>>({.blocks = 3, .threads = 8}, space.arguments(1));
    return fits ? m.run().steps : 0;
}

template <class Kernel>
std::string pipeline_trial(const executor::schedule& how)
{
    const auto tiles = static_cast<std::int32_t>(1 + how.seed % 13);
    struct alignas(16) aligned_tile {
        std::int32_t value[Kernel::tile];
    };
    std::vector<aligned_tile> input(static_cast<std::size_t>(tiles));
    std::vector<std::int64_t> sums(input.size(), -1);
    for (std::int32_t i = 0; i < tiles * Kernel::tile; ++i) {
        input[static_cast<std::size_t>(i / Kernel::tile)].value[i % Kernel::tile] = i;
    }
    executor::machine m(how);
    if (!m.launch<Kernel>({.blocks = 1, .threads = how.seed % 2 == 0 ? 8 : 16},
                          {input[0].value, sums.data(), tiles})) {
        return "refused\n";
    }
    const executor::outcome ran = m.run();
    if (!ran.ok()) {
        return ran.text;
    }
    for (std::int64_t t = 0; t < tiles; ++t) {
        const std::int64_t first = t * Kernel::tile;
        if (sums[static_cast<std::size_t>(t)] !=
            Kernel::tile * first + Kernel::tile * (Kernel::tile - 1) / 2) {
            return "the sum of tile " + std::to_string(t) + " is " +
                   std::to_string(sums[static_cast<std::size_t>(t)]) + "\n";
        }
    }
    return "";
}

} // namespace rankfold::simt::protocols
