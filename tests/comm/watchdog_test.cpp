// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges that were queued on a GPU, which here is only their marks: the watchdog ends one that stays under
// way, and no other.
#include "watch/watchdog.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace rankfold::detail {
namespace {

using namespace std::chrono_literals;

constexpr double warn_s = 0.1;
constexpr double timeout_s = 0.3;

class Watchdog : public testing::Test {
protected:
    ~Watchdog() override { std::filesystem::remove(log_file_); }

    /// As the GPU would: an exchange begins or ends.
    void mark(std::uint32_t sequence, std::uint32_t call) { marks_ = std::uint64_t{call} << 32 | sequence; }
    bool ends_within(std::chrono::milliseconds limit) const
    {
        const auto deadline = watchdog::clock::now() + limit;
        while (ended_ == 0 && watchdog::clock::now() < deadline) {
            std::this_thread::sleep_for(5ms);
        }
        return ended_ != 0;
    }
    std::string logged() const
    {
        std::stringstream text;
        text << std::ifstream(log_file_).rdbuf();
        return text.str();
    }

    std::string log_file_ =
        std::filesystem::temp_directory_path() / ("rankfold_watchdog_" + std::to_string(getpid()) + ".log");
    logger log_{log_level::warn, log_file_};
    std::atomic<std::uint64_t> marks_{0};
    std::atomic<int> ended_{0};
    std::atomic<std::uint64_t> ended_call_{0};
    watchdog dog_{warn_s, timeout_s, log_,
                  watchdog::hooks{
                      .waiting_for = [](std::uint64_t call) { return "rank 3 of " + std::to_string(call); },
                      .under_way =
                          [this] {
                              const std::uint64_t seen = marks_;
                              const exchange_mark mark{static_cast<std::uint32_t>(seen),
                                                       static_cast<std::uint32_t>(seen >> 32)};
                              return mark.sequence % 2 == 1 ? std::optional(mark) : std::nullopt;
                          },
                      .call =
                          [](std::uint64_t number) {
                              call_description call;
                              call.number = number;
                              return call;
                          },
                      .end_queue =
                          [this](std::uint64_t call) {
                              ended_call_ = call;
                              ++ended_;
                          },
                  }};
};

TEST_F(Watchdog, EndsAnExchangeThatStaysUnderWayOnceAfterAWarning)
{
    mark(5, 42);

    ASSERT_TRUE(ends_within(30s));
    std::this_thread::sleep_for(400ms); // longer than the deadline

    EXPECT_EQ(ended_, 1);
    EXPECT_EQ(ended_call_, 42U);
    EXPECT_NE(logged().find("call 42"), std::string::npos) << logged();
    EXPECT_NE(logged().find("rank 3 of 42"), std::string::npos) << logged();
}

TEST_F(Watchdog, LeavesExchangesAloneThatFollowEachOther)
{
    for (std::uint32_t exchange = 0; exchange < 60; ++exchange) { // twice the deadline in all
        mark(2 * exchange + 1, exchange);
        std::this_thread::sleep_for(10ms);
    }
    mark(120, 59);
    std::this_thread::sleep_for(400ms);

    EXPECT_EQ(ended_, 0);
}

TEST_F(Watchdog, RaisesTheFlagOfAWaitOfTheHost)
{
    call_description call;
    call.number = 7;
    const armed_watchdog armed(dog_, call);

    const auto deadline = watchdog::clock::now() + 30s;
    while (!dog_.expired() && watchdog::clock::now() < deadline) {
        std::this_thread::sleep_for(5ms);
    }

    EXPECT_TRUE(dog_.expired());
    EXPECT_EQ(ended_, 0);
    EXPECT_NE(logged().find("rank 3 of 7"), std::string::npos) << logged();
}

} // namespace
} // namespace rankfold::detail
