// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// field_stats where its surroundings are not as usual: closed, full and unread streams, pipes for files, and
// signals while it writes.
#include "file_bytes.hpp"
#include "run_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>

namespace {

using namespace field_stats::test;
using namespace std::chrono_literals;

class FieldStreams : public testing::Test {
protected:
    scratch_folder folder_;
    std::string good_ = folder_.write("good.gtx", gtx_header{}.bytes() + std::string(24, '\0'));
    std::string none_ = folder_.path("none.gtx");
};

TEST_F(FieldStreams, StandardErrorThatCannotBeWrittenEndsNothing)
{
    for (const std::string streams : {" 2>&-", " 2>/dev/full", " 2>&- <&-"}) {
        const arguments always{good_, "--progress", "always"};
        EXPECT_EQ(run_command(command_alone({none_}) + streams).exit_code, 1) << streams;
        EXPECT_EQ(run_command(command_alone(always) + streams).exit_code, 0) << streams;
    }
    // Of the ranks: what mpiexec does without its own is not ours.
    const std::string ranks = command(2, {}).substr(0, command(2, {}).find(command_alone({})));
    EXPECT_EQ(run_command(ranks + "sh -c \"exec " + command_alone({none_}) + " 2>&-\"").exit_code, 1);
}

TEST_F(FieldStreams, AClosedStreamIsNotTakenForAFile)
{
    const std::string sums = folder_.path("sums");

    const outcome result = run_command(command_alone({good_, "--prefix-sum", sums}) + " >&- 2>&- <&-");

    EXPECT_EQ(result.exit_code, 1); // its output could not be written
    EXPECT_EQ(folder_.read("sums"), std::string(48, '\0'));
}

TEST_F(FieldStreams, OutputThatCannotBeWrittenIsAnError)
{
    const outcome full = run_command(command_alone({good_}) + " >/dev/full");
    EXPECT_EQ(full.exit_code, 1);
    EXPECT_NE(full.errors.find("cannot write to standard output"), std::string::npos) << full.errors;

    // A pipe whose reader is gone before anything is written.
    const outcome unread = run_command("{ sleep 0.3; " + command_alone({good_}) + "; echo $? >" +
                                       folder_.path("code") + "; } | true");
    EXPECT_EQ(folder_.read("code"), "1\n");
    EXPECT_NE(unread.errors.find("cannot write to standard output"), std::string::npos) << unread.errors;
}

TEST_F(FieldStreams, APipeIsNoField)
{
    const std::string pipe = folder_.path("pipe.npy");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);

    for (const arguments& args : {arguments{pipe}, arguments{good_, "--prefix-sum", pipe}}) {
        const outcome result = run_command("timeout 20 " + command_alone(args));

        EXPECT_EQ(result.exit_code, 1);
        EXPECT_NE(result.errors.find("not a regular file"), std::string::npos) << result.errors;
    }
}

TEST_F(FieldStreams, AFileSizeLimitIsAnErrorAndLeavesNothing)
{
    const std::string field = folder_.write("f.bin", "");
    std::filesystem::resize_file(field, 32 << 20); // takes no room

    const outcome result =
        run_command("ulimit -f 40000; " + // 20 or 40 MB; MPI has files of some, too
                    command_alone({field, "--type", "float32", "--prefix-sum", folder_.path("sums")}));

    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.errors.find("sums: cannot take 67108864 bytes of disk: File too large"),
              std::string::npos)
        << result.errors;
    EXPECT_EQ(folder_.names().size(), 2U); // good.gtx and f.bin
}

class FieldInterrupted : public FieldStreams {
protected:
    /// 128 MiB that take no room on the disk: long enough that there is time to interrupt.
    void SetUp() override
    {
        folder_.write("f.bin", "");
        std::filesystem::resize_file(field_, 128 << 20);
    }
    bool is_writing() const
    {
        return std::ranges::any_of(folder_.names(), [](const std::string& name) {
            return name.find(".part-") != std::string::npos;
        });
    }
    /// Starts a shell command, sends it `signal` once the output is begun, and returns how it ended.
    int interrupt(const std::string& command, int signal) const
    {
        const std::string line = "exec " + command + " >" + folder_.path("out") + " 2>" + folder_.path("err");
        const pid_t child = ::fork();
        if (child == 0) {
            ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
            ::_exit(127);
        }
        int status = 0;
        const auto limit = std::chrono::steady_clock::now() + 60s;
        while (!is_writing() && ::waitpid(child, &status, WNOHANG) == 0 &&
               std::chrono::steady_clock::now() < limit) {
            std::this_thread::sleep_for(1ms);
        }
        EXPECT_TRUE(is_writing());
        ::kill(child, signal);
        ::waitpid(child, &status, 0);
        return status;
    }

    const std::string field_ = folder_.path("f.bin");
    const arguments args_{field_, "--type", "float32", "--prefix-sum", folder_.path("sums")};
};

TEST_F(FieldInterrupted, LeavesNothingAndSaysSo)
{
    const int status = interrupt(command_alone(args_), SIGTERM);

    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
    EXPECT_FALSE(is_writing());
    EXPECT_FALSE(std::filesystem::exists(folder_.path("sums")));
    EXPECT_NE(folder_.read("err").find("field_stats: interrupted by SIGTERM; no prefix sums were written"),
              std::string::npos)
        << folder_.read("err");
}

TEST_F(FieldInterrupted, LeavesNoPartUnderMpiexec)
{
    const int status = interrupt(command(2, args_), SIGINT);

    EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    for (int tries = 0; is_writing() && tries < 100; ++tries) {
        std::this_thread::sleep_for(100ms); // some starters end before their ranks
    }
    EXPECT_FALSE(is_writing());
    // The ranks may have come to their end before the starter told them: all of it is there, or nothing.
    std::error_code absent;
    const std::uintmax_t bytes = std::filesystem::file_size(folder_.path("sums"), absent);
    const std::uintmax_t whole = 2 * std::filesystem::file_size(field_); // sums of float32 are float64
    EXPECT_TRUE(absent || bytes == whole) << bytes;
}

} // namespace
