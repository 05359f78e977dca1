// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where flight records diverge, and what of them is refused. How they come to be is tested in tests/comm.
#include "flight_record.hpp"
#include "launch_error.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace rankfold::launcher::testing {
namespace {

flight_call call(const std::string& what, const std::string& outcome = "done")
{
    return {.what = what,
            .label = "mass",
            .file = "solver.cpp",
            .line = 12,
            .fingerprint = what,
            .outcome = outcome};
}

/// A rank whose calls [first, last] are sums.
flight_record sums(int rank, std::uint64_t first, std::uint64_t last)
{
    flight_record record{.communicator = "c", .rank = rank, .ranks = 3, .host = "h", .pid = 1, .calls = {}};
    for (std::uint64_t n = first; n <= last; ++n) {
        record.calls[n] = call("sum");
    }
    return record;
}

flight_record parsed(const std::string& text)
{
    std::istringstream in(text);
    return read_flight_record(in, "a.jsonl");
}

TEST(FlightRecords, ThatAgreeDoNotDiverge)
{
    EXPECT_FALSE(first_divergence({sums(0, 1, 9), sums(1, 1, 9), sums(2, 1, 9)}));
}

TEST(FlightRecords, DivergeAtTheFirstDifferentCall)
{
    std::vector<flight_record> records{sums(0, 1, 9), sums(1, 1, 9), sums(2, 1, 9)};
    records[1].calls[4] = call("max", "mismatch");
    records[2].calls[7] = call("min");

    const auto found = first_divergence(records);

    ASSERT_TRUE(found);
    EXPECT_EQ(found->call, 4U);
    EXPECT_EQ(found->why, divergence::reason::different_calls);
}

TEST(FlightRecords, DivergeWhereARankMadeNoCall)
{
    const std::vector<flight_record> records{sums(0, 1, 5), sums(1, 1, 3), sums(2, 1, 5)};

    const auto found = first_divergence(records);
    const std::string text = show_divergence(records, found);

    ASSERT_TRUE(found);
    EXPECT_EQ(found->call, 4U);
    EXPECT_EQ(found->why, divergence::reason::no_such_call);
    EXPECT_NE(text.find("made no call after 3"), std::string::npos) << text;
}

TEST(FlightRecords, OfDifferentLengthAreComparedWhereAllReach)
{
    std::vector<flight_record> records{sums(0, 1, 70), sums(1, 7, 70)};
    records[0].calls[3] = call("max"); // the other record does not reach that far back

    EXPECT_FALSE(first_divergence(records));
}

TEST(FlightRecords, OfACallThatAllFailedNameIt)
{
    std::vector<flight_record> records{sums(0, 1, 5), sums(2, 1, 5)};
    records[0].calls[5].outcome = "timeout";
    records[1].calls[5].outcome = "not finished";

    const auto found = first_divergence(records);
    const std::string text = show_divergence(records, found);

    ASSERT_TRUE(found);
    EXPECT_EQ(found->call, 5U);
    EXPECT_EQ(found->why, divergence::reason::failed);
    EXPECT_NE(text.find("     1  -"), std::string::npos) << "rank 1 has no row: " << text;
    EXPECT_NE(text.find("timeout"), std::string::npos) << text;
    EXPECT_NE(text.find("solver.cpp:12"), std::string::npos) << text;
}

TEST(FlightRecords, OfARankWithoutCallsDivergeAtTheFirst)
{
    const auto found = first_divergence({sums(0, 1, 5), sums(1, 1, 0)});

    ASSERT_TRUE(found);
    EXPECT_EQ(found->call, 1U);
}

TEST(FlightRecords, ThatAreNoneAreRefusedWithFileAndLine)
{
    const std::string header = R"({"rankfold_flight": 1, "communicator": "c", "rank": 0, "ranks": 2,)"
                               R"( "host": "h", "pid": 7, "reason": ""})"
                               "\n";
    const auto refusal_of = [](const std::string& text) {
        try {
            parsed(text);
        } catch (const launch_error& refusal) {
            return std::string(refusal.what());
        }
        return std::string();
    };

    EXPECT_EQ(parsed(header).pid, 7);
    EXPECT_NE(refusal_of("").find("a.jsonl"), std::string::npos);
    EXPECT_NE(refusal_of("{}\n").find("a.jsonl:1"), std::string::npos);
    EXPECT_NE(refusal_of(header + "{\"call\": 1}\n").find("a.jsonl:2"), std::string::npos);
    EXPECT_NE(refusal_of(header + "{\"cal").find("a.jsonl:2"), std::string::npos);
    EXPECT_NE(refusal_of(R"({"rankfold_flight": 2})").find("version 2"), std::string::npos);
}

} // namespace
} // namespace rankfold::launcher::testing
