// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where flight records diverge, and what of them is refused. How they come to be is tested in tests/comm.
#include "flight/flight_record.hpp"
#include "process/launch_error.hpp"

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
    flight_record record{
        .communicator = "c", .rank = rank, .ranks = 3, .host = "h", .pid = 1, .calls = {}, .cut = {}};
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
    EXPECT_NE(refusal_of(header + "{\"cal\n{}\n").find("a.jsonl:2"), std::string::npos);
    EXPECT_NE(refusal_of(R"({"rankfold_flight": 2})").find("version 2"), std::string::npos);
}

std::string head(const std::string& rank, const std::string& ranks)
{
    return R"({"rankfold_flight": 1, "communicator": "c", "rank": )" + rank + R"(, "ranks": )" + ranks +
           R"(, "host": "h", "pid": 7, "reason": ""})" + "\n";
}

std::string call_line(const std::string& number)
{
    return R"({"call": )" + number +
           R"(, "what": "sum", "label": "", "file": "a.cpp", "line": 1, "fingerprint": "f", "outcome": "done"})" +
           "\n";
}

// The process was killed while it wrote: what it wrote is true as far as it goes.
TEST(FlightRecords, CutWithinALineGiveTheirWholeLines)
{
    const std::string whole = head("0", "2") + call_line("1") + call_line("2") + call_line("3");
    const std::string other = head("1", "2") + call_line("1") + call_line("2");
    const flight_record reference = parsed(whole);

    for (std::size_t length = other.size(); length > head("1", "2").size(); --length) {
        const bool within_a_line = other[length - 1] != '\n' && other[length] != '\n';
        const flight_record cut = parsed(other.substr(0, length));
        const auto found = first_divergence({reference, cut});

        EXPECT_EQ(cut.cut.empty(), !within_a_line) << length;
        EXPECT_EQ(found.has_value(), cut.cut.empty()) << "a lost call is not a call that was never made";
        const std::string text = show_divergence({reference, cut}, found);
        EXPECT_EQ(text.find(cut.calls.empty() ? "a.jsonl:2: cut short" : "a.jsonl:3: cut short") != text.npos,
                  within_a_line)
            << text;
    }
}

TEST(FlightRecords, CutBeforeADivergenceSaySoInTheirRow)
{
    std::vector<flight_record> records{sums(0, 1, 9), sums(1, 1, 9), sums(2, 1, 3)};
    records[1].calls[7] = call("max");
    records[2].cut = "c.jsonl:5";

    const auto found = first_divergence(records);
    const std::string text = show_divergence(records, found);

    ASSERT_TRUE(found);
    EXPECT_EQ(found->call, 7U);
    EXPECT_EQ(found->why, divergence::reason::different_calls);
    EXPECT_NE(text.find("     2  ?             "), std::string::npos) << text;
    EXPECT_NE(text.find("its record is cut before this call"), std::string::npos) << text;
}

TEST(FlightRecords, CutWithinTheFirstLineAreOfNobody)
{
    EXPECT_THROW(parsed(head("0", "2").substr(0, 60)), cut_in_head);
    EXPECT_THROW(parsed("garbage"), launch_error);
}

TEST(FlightRecords, OfImpossibleNumbersAreRefused)
{
    const auto refusal_of = [](const std::string& text) {
        try {
            parsed(text);
        } catch (const launch_error& refusal) {
            return std::string(refusal.what());
        }
        return std::string("accepted");
    };
    const auto expect_refused = [&](const std::string& text, const std::string& words) {
        EXPECT_NE(refusal_of(text).find(words), std::string::npos) << text << refusal_of(text);
    };

    EXPECT_EQ(parsed(head("1", "2") + call_line("9223372036854775807")).calls.size(), 1U);
    expect_refused(head("-5", "2"), "a.jsonl:1: not a flight record: rank is -5, must be from 0 to 1");
    expect_refused(head("2", "2"), "rank is 2, must be from 0 to 1");
    expect_refused(head("0", "0"), "ranks is 0, must be from 1 to 2147483647");
    expect_refused(head("0", "4294967297"), "ranks is 4294967297");
    for (const char* bad :
         {"-1", "0", "9223372036854775808", "18446744073709551616", "1.5", "\"1\"", "null"}) {
        expect_refused(head("0", "2") + call_line(bad),
                       std::string("a.jsonl:2: not a flight record: call is ") +
                           (std::string(bad).size() == 20 ? "" : bad));
    }
}

} // namespace
} // namespace rankfold::launcher::testing
