// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "node/local_ranks.hpp"

#include "node/limits.hpp"
#include "process/launch_error.hpp"
#include "support.hpp"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <future>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/file.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace rankfold::launcher::testing {
namespace {

constexpr std::chrono::seconds long_enough{30};

std::string contents(const std::string& file)
{
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// Waits until there is one.
std::string only_file_in(const std::string& folder)
{
    for (;;) {
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            return entry.path().string();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

// How many file descriptors of this process are open on the path.
int times_open(const std::string& path)
{
    int times = 0;
    std::error_code gone; // another thread may close one meanwhile
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        times += std::filesystem::read_symlink(entry.path(), gone) == path ? 1 : 0;
    }
    return times;
}

TEST(LocalRanks, LearnEachOthersLinesRoundAfterRound)
{
    const temporary_folder folder;
    constexpr int size = 5;
    constexpr int rounds = 3;
    std::vector<std::vector<std::string>> seen(size);

    std::vector<std::thread> ranks;
    for (int rank = 0; rank < size; ++rank)
        ranks.emplace_back([&, rank] {
            for (int round = 0; round < rounds; ++round)
                for (const std::string& line :
                     exchange_with_local_ranks(folder.path(), "job", rank, size,
                                               "line " + std::to_string(10 * round + rank), long_enough))
                    seen[static_cast<std::size_t>(rank)].push_back(line);
        });
    for (std::thread& rank : ranks)
        rank.join();

    std::vector<std::string> expected;
    for (int round = 0; round < rounds; ++round)
        for (int rank = 0; rank < size; ++rank)
            expected.push_back("line " + std::to_string(10 * round + rank));
    for (const auto& lines : seen)
        EXPECT_EQ(lines, expected);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(LocalRanks, AreNotAwaitedForEver)
{
    const temporary_folder folder;

    try {
        exchange_with_local_ranks(folder.path(), "job", 1, 4, "x", std::chrono::milliseconds(20));
        FAIL() << "came back";
    } catch (const launch_error& error) {
        EXPECT_NE(std::string(error.what()).find("local ranks 0, 2, 3 of 4 did not report within 20 ms"),
                  std::string::npos)
            << error.what();
    }
}

using all_lines = std::vector<std::vector<std::string>>;

// Ranks 0 and 1 of 2, each in a thread; an error becomes its text.
all_lines two_ranks_meet(const std::string& folder, const std::string& first, const std::string& second)
{
    const auto join = [&](int rank, const std::string& line) {
        try {
            return exchange_with_local_ranks(folder, "job", rank, 2, line, long_enough);
        } catch (const launch_error& error) {
            return std::vector<std::string>{error.what()};
        }
    };
    auto other = std::async(std::launch::async, join, 1, second);
    std::vector<std::string> mine = join(0, first);
    return {std::move(mine), other.get()};
}

// A process that takes part as one rank of two and is killed while it waits for the other.
void leave_remains_of(int rank, const std::string& folder)
{
    const pid_t child = fork();
    if (child == 0) {
        exchange_with_local_ranks(folder, "job", rank, 2, "dead", long_enough);
        _exit(0);
    }
    const std::string file = only_file_in(folder);
    while (contents(file).find("dead") == std::string::npos) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
}

TEST(LocalRanks, AreNotTakenFromAKilledStart)
{
    for (const int dead : {0, 1}) {
        const temporary_folder folder;
        leave_remains_of(dead, folder.path());

        for (const char* round : {"1", "2"}) {
            const std::string a = std::string("a") + round;
            const std::string b = std::string("b") + round;
            EXPECT_EQ(two_ranks_meet(folder.path(), a, b), all_lines(2, {a, b}));
        }

        EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    }
}

// All had finished, and the last was killed before it removed the file; a line of a larger job is in it, too.
TEST(LocalRanks, DoNotWaitForAFinishedRound)
{
    const temporary_folder folder;
    std::ofstream(folder.path() + "/rankfold-run." + std::to_string(geteuid()) + ".job")
        << "0 old\n7 old\n1 old\ndone 0\ndone 1\n";

    EXPECT_EQ(two_ranks_meet(folder.path(), "a", "b"), all_lines(2, {"a", "b"}));
}

// Between opening and locking the file of a round, the last rank of that round may remove it.
TEST(LocalRanks, MeetInANewFileIfTheirsWasRemoved)
{
    const temporary_folder folder;
    const std::string path = folder.path() + "/rankfold-run." + std::to_string(geteuid()) + ".job";
    const int held = open(path.c_str(), O_RDWR | O_CREAT, 0600);
    ASSERT_EQ(flock(held, LOCK_EX), 0);

    auto met = std::async(std::launch::async, [&] { return two_ranks_meet(folder.path(), "a", "b"); });
    while (times_open(path) < 3) { // by this test and by both ranks, who wait for the lock
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    unlink(path.c_str());
    close(held);

    EXPECT_EQ(met.get(), all_lines(2, {"a", "b"}));
}

TEST(LocalRanks, NeedAFolder)
{
    EXPECT_THROW(exchange_with_local_ranks("/nonexistent", "job", 0, 2, "x", long_enough), launch_error);
}

TEST(Limits, SurviveTheLine)
{
    for (const char* line : {"0-3,8;*", "1;", "5;0000:1b:00.0", "0-1;0000:1b:00.0,MIG-1-2"})
        EXPECT_EQ(limit_to_line(limit_from_line(line)), line);
    EXPECT_FALSE(limit_from_line("0;*").gpus);
    EXPECT_TRUE(limit_from_line("0;").gpus->empty());
    EXPECT_THROW(limit_from_line("0-3"), launch_error);
}

} // namespace
} // namespace rankfold::launcher::testing
