// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a process that a signal ends leaves behind. Each case is a child of its own.
#include "interrupt.hpp"

#include "file_bytes.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <sys/wait.h>

namespace {

using namespace field_stats;

struct ending {
    int status; ///< as waitpid tells it
    std::string errors;
};

/// A child that does `work` and then lives on until a signal ends it, or else ends with code 7.
template <class Work>
ending of_child(const test::scratch_folder& folder, Work&& work)
{
    const pid_t child = ::fork();
    if (child == 0) {
        static_cast<void>(!std::freopen(folder.path("err").c_str(), "w", stderr));
        work();
        ::_exit(7);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return {status, folder.read("err")};
}

class Interrupt : public testing::TestWithParam<std::pair<int, const char*>> {
protected:
    test::scratch_folder folder_;
};

TEST_P(Interrupt, RemovesTheFileSaysSoAndEndsTheProcess)
{
    const std::string path = folder_.write("sums.part", "half");

    const ending got = of_child(folder_, [&] {
        watch_for_interrupts(true);
        remove_if_interrupted(path);
        ::raise(GetParam().first);
    });

    EXPECT_TRUE(WIFSIGNALED(got.status) && WTERMSIG(got.status) == GetParam().first) << got.status;
    EXPECT_EQ(folder_.names(), std::vector<std::string>{"err"});
    EXPECT_EQ(got.errors, "field_stats: interrupted by " + std::string(GetParam().second) +
                              "; no prefix sums were written\n");
}

TEST_P(Interrupt, StaysIgnoredWhereTheCallerIgnoresIt)
{
    const std::string path = folder_.write("sums.part", "half");

    const ending got = of_child(folder_, [&] {
        std::signal(GetParam().first, SIG_IGN);
        watch_for_interrupts(true);
        remove_if_interrupted(path);
        ::raise(GetParam().first);
    });

    EXPECT_TRUE(WIFEXITED(got.status) && WEXITSTATUS(got.status) == 7) << got.status;
    EXPECT_EQ(folder_.read("sums.part"), "half");
}

TEST_P(Interrupt, KeepsAFileThatIsComplete)
{
    const std::string path = folder_.write("sums", "whole");

    const ending got = of_child(folder_, [&] {
        watch_for_interrupts(false);
        remove_if_interrupted(path);
        remove_if_interrupted("");
        ::raise(GetParam().first);
    });

    EXPECT_TRUE(WIFSIGNALED(got.status)) << got.status;
    EXPECT_EQ(folder_.read("sums"), "whole");
    EXPECT_EQ(got.errors, "");
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupt,
                         testing::Values(std::pair{SIGTERM, "SIGTERM"}, std::pair{SIGINT, "SIGINT"},
                                         std::pair{SIGHUP, "SIGHUP"}),
                         [](const auto& p) { return std::string(p.param.second); });

} // namespace
