// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One thread for all that is watched: there while something is, awake when it must be, gone at once. Times
// are upper bounds only, and far above what is needed.
#include "watch/watch_thread.hpp"

#include "rankfold/error.hpp"
#include "support/thread_limit.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <list>

namespace rankfold::detail {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

class counted final : public watched {
public:
    explicit counted(clock::duration period) : period_(period), thread_(watch_thread::of_process())
    {
        thread_->add(*this);
    }
    ~counted() { thread_->remove(*this); }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;

    [[nodiscard]] clock::duration period() const noexcept override { return period_; }
    void look() noexcept override { ++looks_; }
    [[nodiscard]] bool is_looked_at_within(clock::duration limit) const
    {
        const int before = looks_;
        const auto deadline = clock::now() + limit;
        while (looks_ == before && clock::now() < deadline) {
            std::this_thread::sleep_for(1ms);
        }
        return looks_ != before;
    }

private:
    clock::duration period_;
    std::atomic<int> looks_{0};
    std::shared_ptr<watch_thread> thread_;
};

TEST(WatchThread, IsOneForAllAndGoneWithTheLast)
{
    std::list<counted> all;
    for (int i = 0; i < 200; ++i) {
        all.emplace_back(10ms);
    }

    EXPECT_EQ(test::watch_threads(), 1);
    EXPECT_TRUE(all.front().is_looked_at_within(10s));
    EXPECT_TRUE(all.back().is_looked_at_within(10s));

    all.clear();
    EXPECT_EQ(test::watch_threads(), 0);
}

TEST(WatchThread, EndsWithoutWaitingForItsNextLook)
{
    const auto start = clock::now();

    for (int i = 0; i < 10; ++i) {
        const counted rare(10s);
        std::this_thread::sleep_for(1ms); // it sleeps by now
    }

    EXPECT_LT(clock::now() - start, 5s);
}

TEST(WatchThread, LooksAtOneThatComesLaterAsOftenAsItAsks)
{
    const counted rare(1min);
    std::this_thread::sleep_for(10ms); // it sleeps by now

    const counted frequent(5ms);

    EXPECT_TRUE(frequent.is_looked_at_within(10s));
}

TEST(WatchThread, IsNotPutOffByOthersThatComeAndGo)
{
    const counted patient(50ms);
    const auto deadline = clock::now() + 10s;
    bool looked = false;

    while (!looked && clock::now() < deadline) {
        const counted passing(50ms);
        looked = patient.is_looked_at_within(10ms);
    }

    EXPECT_TRUE(looked);
}

TEST(WatchThread, ThatTheSystemRefusesIsAnErrorAndLaterOneMayStart)
{
    {
        const test::no_more_threads limit;
        try {
            const counted refused(10ms);
            ADD_FAILURE() << "no error";
        } catch (const error& failure) {
            EXPECT_EQ(failure.code(), errc::backend);
            EXPECT_NE(std::string(failure.what()).find("thread"), std::string::npos) << failure.what();
        }
    }
    const counted allowed(10ms);

    EXPECT_TRUE(allowed.is_looked_at_within(10s));
}

} // namespace
} // namespace rankfold::detail
