// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mailbox_trials.hpp"

#include <gtest/gtest.h>

namespace rankfold::simt {
namespace {

using namespace executor;

TEST(Mailbox, GivesEveryRankEverySlot)
{
    expect_right(400 / fewer, [](const schedule& how) { return exchange_trial(how, ranks_of(how), 0); });
}

TEST(Mailbox, GoesThroughTheWrapOfTheEpoch)
{
    expect_right(700 / fewer, [](const schedule& how) {
        return exchange_trial(how, 2 + static_cast<int>(how.seed % 3), device::last_epoch - 3);
    });
}

TEST(Mailbox, ToldAMismatchFailsOnAllRanks)
{
    expect_right(400 / fewer, mismatch_trial);
}

TEST(Mailbox, CarriesTheErrorOfOneRankToAll)
{
    expect_right(400 / fewer, [](const schedule& how) -> std::string {
        const int ranks = ranks_of(how);
        mailbox_group group(how, ranks, slot_bytes / 4, 0);
        group.boxes.wait_for_ever();
        for (int r = 0; r < ranks; ++r) {
            fingerprint head = head_of(call_kind::exscan);
            const bool refuses = r == ranks - 1;
            head.error = static_cast<std::uint8_t>(refuses ? errc::usage : errc::success);
            group.call(r, {head, refuses ? 0 : 3});
        }
        const std::string wrong = group.run();
        return wrong.empty() ? group.expect_all(errc::usage, 1) : wrong;
    });
}

TEST(Mailbox, EndsByTheDeadlineWhenARankIsMissing)
{
    expect_right(400 / fewer, [](const schedule& how) -> std::string {
        const int ranks = ranks_of(how);
        const int missing = static_cast<int>(how.seed / 7 % static_cast<unsigned>(ranks));
        mailbox_group group(how, ranks, slot_bytes / 4, 0);
        for (int r = 0; r < ranks; ++r) {
            group.call(r, {head_of(call_kind::exscan), 3});
        }
        for (int r = 0; r < ranks; ++r) {
            for (int c = 0; r != missing && c < 2; ++c) {
                group.call(r, {head_of(call_kind::exscan), 3}); // the second one tells
            }
        }
        const std::string wrong = group.run();
        if (!wrong.empty()) {
            return wrong;
        }
        for (int r = 0; r < ranks; ++r) {
            const auto wanted = static_cast<std::uint32_t>(r == missing ? errc::success : errc::timeout);
            if (group.boxes.failure(r).code != wanted || group.boxes.epoch(r) != 1) {
                return "rank " + std::to_string(r) + " ended with " +
                       std::to_string(group.boxes.failure(r).code) + "\n";
            }
        }
        return "";
    });
}

TEST(Mailbox, TellsAllRanksOfCallsThatOverlap)
{
    expect_right(1500 / fewer, overlap_trial);
}

TEST(Mailbox, CarriesAnEarlierFailureOfOneRankToAll)
{
    expect_right(400 / fewer, told_trial);
}

TEST(Mailbox, EndsByTheAbortWord)
{
    expect_right(400 / fewer, [](const schedule& how) -> std::string {
        const int ranks = ranks_of(how);
        mailbox_group group(how, ranks, slot_bytes / 4, 0);
        for (int r = 1; r < ranks; ++r) {
            group.call(r, {head_of(call_kind::exscan), 3}); // rank 0 never calls
            const shape host{.blocks = 1, .threads = warp_size, .gpu = group.host()};
            if (!group.machine().launch<abort_kernel>(host, {group.boxes.abort_word(r)})) {
                return "refused\n";
            }
        }
        const std::string wrong = group.run();
        for (int r = 1; wrong.empty() && r < ranks; ++r) {
            if (group.boxes.failure(r).code != static_cast<std::uint32_t>(errc::failed)) {
                return "rank " + std::to_string(r) + " ended with " +
                       std::to_string(group.boxes.failure(r).code) + "\n";
            }
        }
        return wrong;
    });
}

TEST(Mailbox, DoesNotAwaitARankThatGaveUpTheExchangeBefore)
{
    expect_right(1500 / fewer, late_failure_trial);
}

TEST(Mailbox, IsNotEndedByAClockThatGoesBack)
{
    expect_right(400 / fewer, unsteady_clock_trial);
}

TEST(Mailbox, GivesWhoDoesNotFailAllThatWasSent)
{
    expect_right(1500 / fewer, abort_trial);
}

} // namespace
} // namespace rankfold::simt
