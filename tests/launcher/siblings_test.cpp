// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "siblings.hpp"

#include "launch_error.hpp"
#include "limits.hpp"
#include "support.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <thread>

namespace rankfold::launcher::testing {
namespace {

constexpr std::chrono::seconds long_enough{30};

TEST(Siblings, LearnEachOthersLinesRoundAfterRound)
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
                     exchange_with_siblings(folder.path(), "job", rank, size,
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

TEST(Siblings, AreNotAwaitedForEver)
{
    const temporary_folder folder;

    EXPECT_THROW(exchange_with_siblings(folder.path(), "job", 0, 2, "x", std::chrono::milliseconds(20)),
                 launch_error);
}

TEST(Siblings, NeedAFolder)
{
    EXPECT_THROW(exchange_with_siblings("/nonexistent", "job", 0, 2, "x", long_enough), launch_error);
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
