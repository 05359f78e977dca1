// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A log that nobody takes is lost, and nothing else: no signal, no exception, no wait without end.
#include "watch/log.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace rankfold::detail {
namespace {

using namespace std::chrono_literals;

/// What the body did in a process of its own: its exit code, or 1000 and the signal that ended it.
template <class Body>
int outcome_of(Body body)
{
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGPIPE, SIG_DFL);
        alarm(20); // rather than wait for ever
        body();
        _exit(0);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

struct pipe_ends {
    std::array<int, 2> ends{};
    pipe_ends() { EXPECT_EQ(pipe(ends.data()), 0); }
};

/// The standard error stream becomes the writing end of a pipe.
pipe_ends stderr_into_pipe()
{
    pipe_ends made;
    dup2(made.ends[1], STDERR_FILENO);
    ::close(made.ends[1]);
    return made;
}

TEST(Log, IntoAPipeThatNobodyReadsRaisesNoSignal)
{
    EXPECT_EQ(outcome_of([] {
                  const pipe_ends pipe = stderr_into_pipe();
                  ::close(pipe.ends[0]);
                  const logger log(log_level::warn, "");
                  log.write(log_level::warn, "nobody reads this");
                  sigset_t pending;
                  sigpending(&pending);
                  _exit(sigismember(&pending, SIGPIPE) == 0 ? 7 : 8);
              }),
              7);
}

TEST(Log, IntoAFullPipeEndsInBoundedTime)
{
    EXPECT_EQ(outcome_of([] {
                  static_cast<void>(stderr_into_pipe());
                  const logger log(log_level::warn, "");
                  const std::string line(1 << 20, 'x'); // more than a pipe holds
                  log.write(log_level::warn, line);
                  log.write(log_level::warn, line);
                  _exit(7);
              }),
              7);
}

TEST(Log, IntoAFullDiskIsLost)
{
    EXPECT_EQ(outcome_of([] {
                  const logger log(log_level::warn, "/dev/full");
                  log.write(log_level::warn, "no space for this");
                  _exit(7);
              }),
              7);
}

TEST(Log, IntoAStandardStreamThatWasClosedDoesNotReachTheFileThatGetsItsNumber)
{
    const std::string path =
        std::filesystem::temp_directory_path() / ("rankfold_log_" + std::to_string(getpid()) + ".data");

    EXPECT_EQ(outcome_of([&] {
                  ::close(STDERR_FILENO);
                  const logger log(log_level::warn, "");
                  _exit(open(path.c_str(), O_WRONLY | O_CREAT, 0600) == STDERR_FILENO
                            ? (log.write(log_level::warn, "not data"), 7)
                            : 8);
              }),
              7);
    EXPECT_EQ(std::filesystem::file_size(path), 0U);

    std::filesystem::remove(path);
}

/// The number of the log's descriptor, or -1 if it is for children, too.
int private_file_of_log(const std::string& path)
{
    const logger log(log_level::warn, path);
    for (int file = 0; file < 64; ++file) {
        std::error_code none;
        if (std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file), none) == path) {
            return (fcntl(file, F_GETFD) & FD_CLOEXEC) != 0 ? file : -1;
        }
    }
    return -1;
}

TEST(Log, InAFileIsNotForChildrenAndTakesNoStandardStream)
{
    const std::string path =
        std::filesystem::temp_directory_path() / ("rankfold_log_" + std::to_string(getpid()) + ".file");

    EXPECT_EQ(outcome_of([&] { _exit(private_file_of_log(path) > STDERR_FILENO ? 7 : 8); }), 7);
    EXPECT_EQ(outcome_of([&] {
                  ::close(STDIN_FILENO);
                  _exit(private_file_of_log(path) > STDERR_FILENO ? 7 : 8);
              }),
              7);

    std::filesystem::remove(path);
}

TEST(Log, LinesAreWholeWhateverTheirLength)
{
    const std::string path =
        std::filesystem::temp_directory_path() / ("rankfold_log_" + std::to_string(getpid()) + ".long");
    const std::string line(10'000, 'y');

    {
        logger log(log_level::info, path);
        log.set_rank(3);
        log.write(log_level::info, line);
        log.write(log_level::trace, "not asked for");
        log.write(log_level::warn, "short");
    }

    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    const std::string head = host_name() + ":" + std::to_string(getpid()) + " [3] RANKFOLD ";
    EXPECT_EQ(text.str(), head + "INFO " + line + "\n" + head + "WARN short\n");
    std::filesystem::remove(path);
}

} // namespace
} // namespace rankfold::detail
