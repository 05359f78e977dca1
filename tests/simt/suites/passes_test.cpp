// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "passes_trial.hpp"

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

TEST(ReduceThenScan, KeepsIntervalsInOrderOverRaggedPieces)
{
    expect_right(800 / fewer, [](const schedule& how) {
        return passes_trial<interval_algebra>(how, {2, 5});
    });
}

TEST(ReduceThenScan, GoesThroughTheWrapOfTheEpoch)
{
    expect_right(500 / fewer, [](const schedule& how) {
        const auto before = static_cast<std::uint32_t>(1 + how.seed % 2);
        return passes_trial<interval_algebra>(how, {2, 5}, ~std::uint32_t{0} - before);
    });
}

TEST(ReduceThenScan, SumsIntegers)
{
    using sum = algebra<operator_id::sum, std::int32_t, std::int64_t, std::int32_t>;
    expect_right(400 / fewer, [](const schedule& how) { return passes_trial<sum>(how, 1000); });
}

TEST(ReduceThenScan, ComposesMapsInOrder)
{
    using map = affine_map<std::int64_t>;
    using affine = algebra<operator_id::affine, map, map, map>;
    expect_right(400 / fewer, [](const schedule& how) { return passes_trial<affine>(how, map{3, 1}); });
}

/// Sums that depend on the order.
struct noisy_sum : algebra<operator_id::sum, std::int32_t, float, float> {
    [[nodiscard]] float lift(std::int32_t x, std::int64_t /*index*/) const
    {
        return static_cast<float>(x * 2654435761U % 1000003U) * (x % 3 == 0 ? 1e-4F : 1e3F);
    }
};

TEST(OnchipScan, GivesTheSameBitsInOneLaunchInTwoAndWithTheExchangeApart)
{
    expect_right(200 / fewer, [](const schedule& how) -> std::string {
        const int ranks = 2 + static_cast<int>(how.seed % 2);
        std::vector<std::int64_t> counts;
        for (int r = 0; r < ranks; ++r) {
            counts.push_back(length_of(how.seed * 5 + static_cast<std::uint64_t>(r)) %
                             (tile * tiny_scan.threads));
        }
        const std::pair<exchange_form, local_form> forms[] = {
            {exchange_form::in_kernel, local_form::onchip},
            {exchange_form::in_kernel, local_form::onchip_in_two},
            {exchange_form::apart, local_form::onchip_in_two}};
        passes<noisy_sum> scans(how, ranks);
        std::vector<std::string> first;
        for (const auto& [exchange, local] : forms) {
            std::string wrong =
                scans.run(exchange, [form = local](std::size_t) { return form; }, counts, true, {});
            for (std::size_t r = 0; wrong.empty() && r < counts.size(); ++r) {
                if (first.size() < counts.size()) {
                    first.push_back(scans.bytes_of(r));
                } else if (first[r] != scans.bytes_of(r)) {
                    wrong = "rank " + std::to_string(r) + " has other bits\n";
                }
            }
            if (!wrong.empty()) {
                return wrong;
            }
        }
        return "";
    });
}

TEST(OnchipScan, EndsByTheDeadlineWhenARankIsMissing)
{
    expect_right(300 / fewer, missing_rank_trial<interval_algebra>);
}

TEST(OnchipScan, TellsAllRanksOfCallsThatOverlap)
{
    expect_right(600 / fewer, overlapping_scans_trial<interval_algebra>);
}

TEST(ReduceThenScan, TellsTheOtherRanksOfAFailureThatComesWhileItStarts)
{
    expect_right(1000 / fewer, failing_first_pass_trial<interval_algebra>);
}

} // namespace
} // namespace rankfold::simt
