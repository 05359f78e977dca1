// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <pty.h>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace {

using namespace field_stats;
using namespace std::chrono_literals;

constexpr std::int64_t giga = 1'000'000'000;

TEST(ProgressLine, ShowsBarShareRateAndTimeLeft)
{
    const std::string ten = progress_line({"reading", 5 * giga, 20 * giga, 10.0}, 80);

    EXPECT_EQ(ten, "reading [==========>                             ]  25 %  500 MB/s  0:30 left");
    EXPECT_EQ(progress_line({"reading", 0, giga, 0.7}, 80),
              "reading [>                                       ]   0 %");
    EXPECT_EQ(progress_line({"reading", giga, giga, 2.0}, 80),
              "reading [========================================] 100 %  500 MB/s  0:00 left");
}

TEST(ProgressLine, LeavesOutWhatDoesNotFit)
{
    const progress_state state{"reading", 5 * giga, 20 * giga, 1000.0};

    EXPECT_EQ(progress_line(state, 60), "reading [=====>               ]  25 %  5.0 MB/s  50:00 left");
    EXPECT_EQ(progress_line(state, 40), "reading [==>        ]  25 %  50:00 left");
    EXPECT_EQ(progress_line(state, 20), "reading  25 %");
    EXPECT_EQ(progress_line(state, 8), " 25 %");
    for (int columns = 1; columns < 200; ++columns) {
        EXPECT_LT(progress_line(state, columns).size(), static_cast<std::size_t>(columns));
        EXPECT_LT(progress_line({"starting", 0, 0, 5000.0}, columns).size(),
                  static_cast<std::size_t>(columns));
    }
}

TEST(ProgressLine, SaysHowLongWorkWithoutATotalTakes)
{
    EXPECT_EQ(progress_line({"starting", 0, 0, 63.9}, 80), "starting 1:03");
    EXPECT_EQ(progress_line({"computing", 0, 0, 3661.0}, 80), "computing 1:01:01");
}

/// What `bar` shows while one long step is on its way: nothing is added.
void take_a_second(progress& bar)
{
    bar.begin("reading", 100);
    std::this_thread::sleep_for(900ms);
    bar.end();
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

TEST(Progress, ShowsASingleLongStepWithinASecondAndClearsTheLine)
{
    testing::internal::CaptureStderr();
    progress bar(progress_mode::always, true);

    take_a_second(bar);

    const std::string shown = testing::internal::GetCapturedStderr();
    EXPECT_NE(shown.find("\rreading ["), std::string::npos);
    EXPECT_NE(shown.find("   0 %"), std::string::npos);
    EXPECT_EQ(shown.back(), '\r');
}

TEST(Progress, IsForATerminalOrWhoeverAsks)
{
    for (const auto mode : {progress_mode::automatic, progress_mode::never}) {
        testing::internal::CaptureStderr(); // makes stderr a file
        progress bar(mode, true);

        take_a_second(bar);

        EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    }
}

/// Standard error is `file` for the life of the object.
class errors_into {
public:
    explicit errors_into(int file) : old_(::dup(STDERR_FILENO)) { ::dup2(file, STDERR_FILENO); }
    ~errors_into()
    {
        ::dup2(old_, STDERR_FILENO);
        ::close(old_);
    }
    errors_into(const errors_into&) = delete;
    errors_into& operator=(const errors_into&) = delete;

private:
    int old_;
};

TEST(Progress, FitsTheTerminal)
{
    for (const int columns : {120, 40, 20}) {
        int screen = -1;
        int terminal = -1;
        const winsize size{24, static_cast<unsigned short>(columns), 0, 0};
        ASSERT_EQ(::openpty(&screen, &terminal, nullptr, nullptr, &size), 0);
        {
            const errors_into redirected(terminal);
            progress bar(progress_mode::automatic, true);
            take_a_second(bar);
        }

        std::string shown(4096, '\0');
        shown.resize(
            static_cast<std::size_t>(std::max<ssize_t>(::read(screen, shown.data(), shown.size()), 0)));
        ::close(terminal);
        ::close(screen);
        EXPECT_NE(shown.find("\rreading "), std::string::npos) << shown;
        std::istringstream lines(shown);
        for (std::string line; std::getline(lines, line, '\r');) {
            EXPECT_LT(line.size(), static_cast<std::size_t>(columns)) << line;
        }
    }
}

TEST(Progress, GoesOnWhereStandardErrorIsFull)
{
    const int full = ::open("/dev/full", O_WRONLY);
    const errors_into redirected(full);
    progress bar(progress_mode::always, true);

    EXPECT_NO_THROW(take_a_second(bar));

    ::close(full);
}

} // namespace
