// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Both tools at the edges of files and command lines: streams that are closed or full, pipes, no arguments.
#include "support.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace rankfold::launcher::testing {
namespace {

using words = std::vector<std::string>;

words flight(const words& arguments)
{
    return plus({RANKFOLD_FLIGHT}, arguments);
}

// The command with a redirection of the shell, such as >/dev/full.
outcome redirected(const words& command, const std::string& redirection, const words& variables = {})
{
    return run(plus({"sh", "-c", "exec \"$@\" " + redirection, "sh"}, command), variables);
}

std::string record(const std::string& rank)
{
    return R"({"rankfold_flight": 1, "communicator": "c", "rank": )" + rank +
           R"(, "ranks": 2, "host": "h", "pid": 7, "reason": ""})" + "\n" +
           R"({"call": 1, "what": "sum", "label": "", "file": "a.cpp", "line": 1, "fingerprint": "f", )" +
           R"("outcome": "done"})" + "\n";
}

std::string written(const std::string& file, const std::string& text)
{
    std::ofstream(file) << text;
    return file;
}

class Output : public ::testing::TestWithParam<words> {
protected:
    // The option "record" stands for rankfold-flight with the record of a rank.
    words command() const
    {
        return GetParam() == words{"record"} ? flight({written(folder_.path() + "/r.jsonl", record("0"))})
                                             : tool(GetParam());
    }

    temporary_folder folder_;
};

TEST_P(Output, ThatCannotBeWrittenIsAnError)
{
    for (const char* redirection : {">/dev/full", ">&-"}) {
        const outcome got = redirected(command(), redirection);

        EXPECT_EQ(got.status, 4) << redirection << got.err;
        EXPECT_TRUE(has(got.err, "standard output cannot be written: ")) << redirection << got.err;
    }
}

const words plan{"--dry-run", "-n", "2", "--synthetic", "package:2 core:8 pu:2"};

words plan_as(const std::string& form)
{
    return plus(plan, {"--show", form});
}

INSTANTIATE_TEST_SUITE_P(Of, Output,
                         ::testing::Values(plan, plan_as("json"), plan_as("svg"), words{"--help"},
                                           words{"--version"}, words{"--doctor"},
                                           words{"--print-command", "-n", "2", "--", "true"},
                                           words{"record"}));

TEST(Errors, ThatCannotBeWrittenLeaveTheExitStatus)
{
    for (const char* redirection : {"2>/dev/full", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"}) {
        EXPECT_EQ(redirected(tool({"--foo"}), redirection).status, 2) << redirection;
        EXPECT_EQ(
            redirected(tool({"--dry-run", "-n", "1", "--topology", "/nonexistent"}), redirection).status, 2)
            << redirection;
        EXPECT_EQ(redirected(flight({"/nonexistent"}), redirection).status, 2) << redirection;
    }
    EXPECT_EQ(redirected(tool(plan), "2>&-").status, 0);
}

// What the tool opens must not become the standard output of the program.
TEST(Streams, ThatAreClosedAreClosedForTheProgramToo)
{
    const words rank_0_of_1{"OMPI_COMM_WORLD_LOCAL_RANK=0", "OMPI_COMM_WORLD_LOCAL_SIZE=1"};
    const std::string show = "for n in 0 1; do test -e /proc/self/fd/$n && echo $n is open >&2; done; exit 7";

    const outcome closed = redirected(tool({"--", "sh", "-c", show}), "<&- >&-", rank_0_of_1);
    const outcome open = redirected(tool({"--", "sh", "-c", show}), "", rank_0_of_1);

    EXPECT_EQ(closed.status, 7);
    EXPECT_EQ(closed.err, "");
    EXPECT_EQ(open.err, "0 is open\n1 is open\n");
}

TEST(Pipes, AreNotOpened)
{
    const temporary_folder folder;
    const std::string pipe = folder.path() + "/pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);

    const outcome topology = run(plus({"timeout", "20"}, tool({"--dry-run", "-n", "1", "--topology", pipe})));
    const outcome record_of = run(plus({"timeout", "20"}, flight({pipe})));

    EXPECT_EQ(topology.status, 2);
    EXPECT_TRUE(has(topology.err, pipe + "' is not a regular file")) << topology.err;
    EXPECT_EQ(record_of.status, 2);
    EXPECT_TRUE(has(record_of.err, pipe + ": is not a regular file")) << record_of.err;
}

TEST(Usage, IsShownAndMissingArgumentsAreNamed)
{
    const outcome help = run(tool({"--help"}));
    const outcome nothing = run(flight({}));
    const outcome flight_help = run(flight({"--help"}));

    EXPECT_TRUE(has(help.out, "Usage: rankfold-run [options] -- program [arguments]\n")) << help.out;
    EXPECT_EQ(nothing.status, 2);
    EXPECT_TRUE(has(nothing.err, "rankfold-flight: FILES is required")) << nothing.err;
    EXPECT_EQ(flight_help.status, 0);
    EXPECT_TRUE(has(flight_help.out, "Usage: rankfold-flight FILES\n")) << flight_help.out;
}

TEST(Records, CutShortAreUsedAndNamed)
{
    const temporary_folder folder;
    const std::string whole = written(folder.path() + "/0.jsonl", record("0"));
    const std::string cut = written(folder.path() + "/1.jsonl", record("1") + "{\"call\": 2, \"wh");
    const std::string headless = written(folder.path() + "/2.jsonl", record("1").substr(0, 40));

    const outcome both = run(flight({whole, cut}));
    const outcome with_head = run(flight({headless, whole}));
    const outcome alone = run(flight({headless}));

    EXPECT_EQ(both.status, 0);
    EXPECT_TRUE(has(both.out, "2 ranks, 2 records")) << both.out;
    EXPECT_TRUE(has(both.out, cut + ":3: cut short, its whole lines are used: calls up to 1 of rank 1"))
        << both.out;
    EXPECT_EQ(with_head.status, 0);
    EXPECT_TRUE(has(with_head.out, "2 ranks, 1 records")) << with_head.out;
    EXPECT_TRUE(has(with_head.err, headless + ":1: cut short within its first line: left out"))
        << with_head.err;
    EXPECT_EQ(alone.status, 2);
}

} // namespace
} // namespace rankfold::launcher::testing
