// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "conclude_trial.hpp"

#include <gtest/gtest.h>

namespace rankfold::simt {
namespace {

using namespace executor;
using namespace suites;

/// Empty if every rank failed with `code` and wrote no result.
std::string all_failed(const concluding_ranks& group, errc code,
                       const std::vector<const concluding_ranks::results*>& results)
{
    for (int r = 0; r < group.boxes.ranks(); ++r) {
        if (group.boxes.failure(r).code != static_cast<std::uint32_t>(code) ||
            group.boxes.mirror(r).code != static_cast<std::uint32_t>(code)) {
            return "rank " + std::to_string(r) + " ended with " +
                   std::to_string(group.boxes.failure(r).code) + "\n";
        }
    }
    const bool untouched = std::all_of(results.begin(), results.end(), [](const auto* got) {
        return got->totals[0] == interval{} && got->prefixes[0] == interval{};
    });
    return untouched ? "" : "a failed call wrote a result\n";
}

TEST(Conclude, FoldsOverTheRanksInTheKernel)
{
    expect_right(800 / fewer, conclude_trial);
}

TEST(Conclude, FailsTogetherWhereOneRankHasAProblem)
{
    expect_right(400 / fewer, [](const schedule& how) -> std::string {
        const int ranks = 2 + static_cast<int>(how.seed % 3);
        const int bad = static_cast<int>(how.seed / 3 % static_cast<unsigned>(ranks));
        concluding_ranks group(how, ranks);
        group.boxes.wait_for_ever();
        std::vector<const concluding_ranks::results*> results;
        for (int r = 0; r < ranks; ++r) {
            const fingerprint head = head_of(call_kind::all_reduce);
            if (r == bad) {
                group.queue_refusal(r, head);
            } else {
                results.push_back(&group.queue_reduce(r, 0, length_of(how.seed), head));
            }
            results.push_back(&group.queue_exscan(r, 7, head)); // a later one ends at once
        }
        const std::string wrong = group.run();
        return wrong.empty() ? all_failed(group, errc::usage, results) : wrong;
    });
}

TEST(Conclude, FailsTogetherWhereRanksCallDifferentThings)
{
    expect_right(400 / fewer, [](const schedule& how) -> std::string {
        const int ranks = 2 + static_cast<int>(how.seed % 3);
        const int other = static_cast<int>(how.seed / 3 % static_cast<unsigned>(ranks));
        concluding_ranks group(how, ranks);
        group.boxes.wait_for_ever();
        std::vector<const concluding_ranks::results*> results;
        for (int r = 0; r < ranks; ++r) {
            results.push_back(
                r == other ? &group.queue_exscan(r, 20, head_of(call_kind::exscan))
                           : &group.queue_reduce(r, 0, length_of(how.seed), head_of(call_kind::all_reduce)));
        }
        const std::string wrong = group.run();
        return wrong.empty() ? all_failed(group, errc::mismatch, results) : wrong;
    });
}

TEST(Conclude, FailsTogetherWhereOneRankHasFailedBefore)
{
    expect_right(400 / fewer, [](const schedule& how) -> std::string {
        const int ranks = 2 + static_cast<int>(how.seed % 3);
        const int bad = static_cast<int>(how.seed / 3 % static_cast<unsigned>(ranks));
        concluding_ranks group(how, ranks);
        group.boxes.wait_for_ever();
        group.boxes.fail(bad, errc::failed);
        std::vector<const concluding_ranks::results*> results;
        for (int r = 0; r < ranks; ++r) {
            results.push_back(&group.queue_reduce(r, 0, length_of(how.seed), head_of(call_kind::all_reduce)));
            results.push_back(&group.queue_exscan(r, 7, head_of(call_kind::exscan)));
        }
        const std::string wrong = group.run();
        return wrong.empty() ? all_failed(group, errc::failed, results) : wrong;
    });
}

TEST(Conclude, TellsTheOtherRanksWhereItGivesUpOnItsOwnBlocks)
{
    expect_right(400 / fewer, give_up_trial);
}

TEST(Conclude, TellsAllRanksOfReductionsThatOverlap)
{
    expect_right(400 / fewer, overlapping_reductions_trial);
}

TEST(Conclude, EndsByTheDeadlineWhenARankIsMissing)
{
    expect_right(200 / fewer, [](const schedule& how) -> std::string {
        const int ranks = 2 + static_cast<int>(how.seed % 3);
        concluding_ranks group(how, ranks);
        for (int r = 1; r < ranks; ++r) {
            group.queue_reduce(r, 0, length_of(how.seed), head_of(call_kind::all_reduce));
        }
        const std::string wrong = group.run();
        for (int r = 1; wrong.empty() && r < ranks; ++r) {
            if (group.boxes.failure(r).code != static_cast<std::uint32_t>(errc::timeout)) {
                return "rank " + std::to_string(r) + " did not time out\n";
            }
        }
        return wrong;
    });
}

} // namespace
} // namespace rankfold::simt
