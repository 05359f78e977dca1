// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of every form and any length, one after another on one workspace.
#include "../executor/random.hpp"
#include "passes_trial.hpp"
#include "reduce_trial.hpp"

#include <gtest/gtest.h>

namespace rankfold::simt {

template <>
inline std::int32_t suites::element(std::int64_t i)
{
    return static_cast<std::int32_t>(i) + 5;
}

namespace {

using namespace executor;
using namespace suites;

constexpr interval before_all{2, 5}; // joins what begins at 5

/// One call, in a form that the random number chooses. `scans` has the workspace.
std::string any_call(machine& m, passes<interval_algebra>& scans, std::uint64_t choice, std::int64_t count)
{
    workspace<interval>& space = scans.space_of(0);
    const int most_blocks = 1 + static_cast<int>(choice / 7 % 5);
    switch (choice % 6) {
    case 0:
        return reduce_piece<interval_algebra, tiny_reduce>(m, {}, space, count, choice / 6);
    case 1:
        return reduce_piece<interval_algebra, many_chunks>(m, {}, space, count, choice / 6);
    case 2: {
        short_piece<interval_algebra> piece(count + 1, choice / 6, before_all);
        const bool fits = piece.launch(m, space);
        const outcome ran = m.run();
        return !fits ? "refused\n" : !ran.ok() ? ran.text : piece.check();
    }
    case 3:
        return scan_piece<register_form>(m, interval_algebra{}, space, count + 1, choice / 6, most_blocks,
                                         before_all);
    case 4:
        return scan_piece<bulk_form>(m, interval_algebra{}, space, count + 1, choice / 6, most_blocks,
                                     before_all);
    default: {
        const auto local = static_cast<local_form>(choice / 6 % 3);
        const auto exchange = static_cast<exchange_form>(choice / 18 % 2);
        const std::string wrong =
            scans.run(exchange, [&](std::size_t) { return local; }, {count}, choice % 2 == 0, {});
        return wrong.empty() ? scans.check({}) : wrong;
    }
    }
}

std::string calls_trial(const schedule& how, std::uint32_t first_epoch)
{
    passes<interval_algebra> scans(how, 1, first_epoch);
    machine m(how);
    random_source random(how.seed);
    std::string wrong;
    for (int call = 0; call < 12 && wrong.empty(); ++call) {
        const std::uint64_t choice = random.below(1'000'000);
        wrong = any_call(m, scans, choice, length_of(random.below(1'000'000)));
        if (!wrong.empty()) {
            wrong = "in call " + std::to_string(call) + ", choice " + std::to_string(choice) + ": " + wrong;
        }
    }
    return wrong;
}

TEST(Workspace, ServesCallsOfAnyFormAndLength)
{
    expect_right(400 / fewer, [](const schedule& how) { return calls_trial(how, 0); });
}

TEST(Workspace, GoesThroughTheWrapOfTheEpoch)
{
    expect_right(600 / fewer, [](const schedule& how) {
        const auto before = static_cast<std::uint32_t>(1 + how.seed % 9);
        return calls_trial(how, ~std::uint32_t{0} - before);
    });
}

} // namespace
} // namespace rankfold::simt
