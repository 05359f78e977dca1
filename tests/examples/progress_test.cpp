// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace {

using namespace field_stats;
using namespace std::chrono_literals;

TEST(ProgressLine, FillsTheBar)
{
    EXPECT_EQ(progress_line("reading", 0, 100, 10), "reading [>         ]   0 %");
    EXPECT_EQ(progress_line("reading", 50, 100, 10), "reading [=====>    ]  50 %");
    EXPECT_EQ(progress_line("reading", 100, 100, 10), "reading [==========] 100 %");
    EXPECT_EQ(progress_line("reading", 0, 0, 10), "reading [==========] 100 %");
}

TEST(Progress, IsSilentForShortWork)
{
    testing::internal::CaptureStderr();
    progress bar(progress_mode::always, true);

    bar.begin("reading", 100);
    bar.add(50);
    bar.add(50);
    bar.end();

    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Progress, ShowsLongWorkAndClearsTheLine)
{
    testing::internal::CaptureStderr();
    progress bar(progress_mode::always, true);

    bar.begin("reading", 100);
    std::this_thread::sleep_for(1100ms);
    bar.add(50);
    bar.end();

    const std::string shown = testing::internal::GetCapturedStderr();
    EXPECT_NE(shown.find("\rreading ["), std::string::npos);
    EXPECT_NE(shown.find(" 50 %"), std::string::npos);
    EXPECT_EQ(shown.back(), '\r');
}

TEST(Progress, IsForATerminalOrWhoeverAsks)
{
    for (const auto mode : {progress_mode::automatic, progress_mode::never}) {
        testing::internal::CaptureStderr(); // makes stderr a file
        progress bar(mode, true);

        bar.begin("reading", 100);
        std::this_thread::sleep_for(1100ms);
        bar.add(50);
        bar.end();

        EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    }
}

} // namespace
