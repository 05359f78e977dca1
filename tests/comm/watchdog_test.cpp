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
#include <limits>
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

    /// Of a communicator with nothing queued.
    static watchdog::hooks quiet_hooks()
    {
        return {.waiting_for = [](std::uint64_t) { return std::string("nobody"); },
                .under_way = [] { return std::optional<exchange_mark>(); },
                .call = [](std::uint64_t) { return call_description{}; },
                .end_queue = [](std::uint64_t) {}};
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

TEST_F(Watchdog, WarnsOfEveryLateCallOnce)
{
    for (const std::uint64_t number : {7, 8}) {
        call_description call;
        call.number = number;
        const armed_watchdog armed(dog_, call);
        while (!dog_.expired()) { // which is after the warning, and time for a second one
            std::this_thread::sleep_for(5ms);
        }
    }

    for (const char* once : {"call 7 ", "call 8 "}) {
        const std::string text = logged();
        EXPECT_NE(text.find(once), std::string::npos) << text;
        EXPECT_EQ(text.find(once), text.rfind(once)) << text;
    }
    EXPECT_NE(logged().find("it fails after 0.3 s"), std::string::npos) << logged();
}

TEST_F(Watchdog, HasLimitsThatMeanNever)
{
    call_description call;
    for (const double never : {1e9, 9.3e9, 1e10, 1e18, 1e300, std::numeric_limits<double>::infinity()}) {
        watchdog patient(0.02, never, log_, quiet_hooks());
        watchdog silent(never, 0.02, log_, quiet_hooks());
        const std::string before = logged();
        {
            const armed_watchdog waits(silent, call);
            const auto deadline = watchdog::clock::now() + 30s;
            while (!silent.expired() && watchdog::clock::now() < deadline) {
                std::this_thread::sleep_for(1ms);
            }
            EXPECT_TRUE(silent.expired()) << never;
        }
        EXPECT_EQ(logged(), before) << "a warning, with the limit " << never;

        const armed_watchdog waits(patient, call);
        std::this_thread::sleep_for(100ms); // many looks

        EXPECT_FALSE(patient.expired()) << never;
        EXPECT_NE(logged(), before) << "no warning";
    }
}

TEST_F(Watchdog, LooksAfterOthersWhileAQueueIsEnded)
{
    std::atomic<bool> ended{false};
    watchdog::hooks slow = quiet_hooks();
    slow.under_way = [] { return std::optional(exchange_mark{1, 1}); };
    slow.end_queue = [&](std::uint64_t) {
        while (!ended) {
            std::this_thread::sleep_for(1ms);
        }
    };
    call_description call;
    const armed_watchdog armed(dog_, call);
    bool expired = false;

    {
        const watchdog hung(0.01, 0.02, log_, slow);
        std::this_thread::sleep_for(100ms); // its end has begun
        const auto deadline = watchdog::clock::now() + 30s;
        while (!dog_.expired() && watchdog::clock::now() < deadline) {
            std::this_thread::sleep_for(5ms);
        }
        expired = dog_.expired();
        ended = true;
    }

    EXPECT_TRUE(expired);
}

} // namespace
} // namespace rankfold::detail
