// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Contract 11: a rank that does not take part is named, first in a warning and then in an error, within the
// deadline.
#include "rankfold/rankfold.hpp"
#include "support/distributed.hpp"
#include "support/expect.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace rankfold::test {
namespace {

constexpr double deadline_s = 2.0;
constexpr double warning_s = 0.5;

class LateRank : public testing::Test {
protected:
    void SetUp() override { RANKFOLD_NEEDS_RANKS(2); }

    static float reduced(const communicator& comm, std::string_view label = {})
    {
        const std::vector<float> one{1.0F};
        return all_reduce<float>(comm, sum, std::span(one), {}, {.label = label});
    }
    static void meet() { MPI_Barrier(MPI_COMM_WORLD); }

    int last_ = world_size() - 1;
    std::string last_name_ = "rank " + std::to_string(last_);
};

TEST_F(LateRank, ThatReturnsEarlyIsNamedOnEveryOther)
{
    communicator comm(MPI_COMM_WORLD, {.warn_s = warning_s, .timeout_s = deadline_s});

    EXPECT_EQ(reduced(comm), world_size());
    if (world_rank() != last_) {
        EXPECT_TRUE(fails_with(errc::timeout, {last_name_, "'second'", "not in Rankfold since call 1"},
                               [&] { (void)reduced(comm, "second"); }));
        EXPECT_NE(comm.status(), errc::success);
        EXPECT_TRUE(fails_with(errc::failed, {}, [&] { (void)reduced(comm); }))
            << "the failure is not sticky";
    }

    meet();
}

TEST_F(LateRank, ThatDestroysItsCommunicatorEarlyIsNamedOnEveryOther)
{
    std::optional<communicator> comm(std::in_place, MPI_COMM_WORLD,
                                     communicator_options{.warn_s = warning_s, .timeout_s = deadline_s});

    EXPECT_EQ(reduced(*comm), world_size());
    if (world_rank() == last_) {
        comm.reset();
    } else {
        EXPECT_TRUE(fails_with(errc::timeout, {last_name_, "destroyed its communicator after call 1"},
                               [&] { (void)reduced(*comm); }));
    }

    meet();
}

TEST_F(LateRank, OneCallTooManyNamesAllTheOthers)
{
    communicator comm(MPI_COMM_WORLD, {.warn_s = warning_s, .timeout_s = deadline_s});

    EXPECT_EQ(reduced(comm), world_size());
    if (world_rank() == last_) {
        const std::optional<error> failure = error_of([&] { (void)reduced(comm, "one too many"); });
        ASSERT_TRUE(failure);
        EXPECT_EQ(failure->code(), errc::timeout);
        for (int r = 0; r < last_; ++r) {
            EXPECT_NE(std::string(failure->what()).find(std::to_string(r)), std::string::npos)
                << failure->what();
        }
    }

    meet();
}

TEST_F(LateRank, IsWaitedForWithinTheDeadline)
{
    communicator comm(MPI_COMM_WORLD, {.warn_s = 20.0, .timeout_s = 30.0});

    if (world_rank() == last_) {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }

    EXPECT_EQ(reduced(comm), world_size());
}

TEST_F(LateRank, IsNamedInAWarningBeforeTheDeadline)
{
    const std::string directory = std::filesystem::temp_directory_path();
    const std::string file = directory + "/rankfold_late_" + std::to_string(getpid()) + ".log";
    const scoped_environment log_file("RANKFOLD_DEBUG_FILE", directory + "/rankfold_late_%p.log");
    communicator comm(MPI_COMM_WORLD, {.warn_s = 0.2, .timeout_s = 30.0});

    if (world_rank() == last_) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    }
    const float total = reduced(comm, "slow");

    std::stringstream log;
    log << std::ifstream(file).rdbuf();
    EXPECT_EQ(total, world_size()) << "a warning is not an error";
    if (world_rank() != last_) {
        EXPECT_NE(log.str().find("rank"), std::string::npos) << log.str();
        EXPECT_NE(log.str().find(std::to_string(last_)), std::string::npos) << log.str();
        EXPECT_NE(log.str().find("'slow'"), std::string::npos) << log.str();
    }
    std::filesystem::remove(file);
}

TEST_F(LateRank, AFailedCommunicatorIsReplacedByANewOne)
{
    {
        communicator failing(MPI_COMM_WORLD, {.warn_s = warning_s, .timeout_s = deadline_s});
        if (world_rank() != last_) {
            EXPECT_TRUE(error_of([&] { (void)reduced(failing); }));
        }
    }

    meet();
    const communicator comm(MPI_COMM_WORLD);

    EXPECT_EQ(reduced(comm), world_size());
}

TEST_F(LateRank, AnAbortedCommunicatorFailsEveryRanksCallsAtOnce)
{
    communicator comm(MPI_COMM_WORLD, {.warn_s = 60.0, .timeout_s = 60.0});
    if (world_rank() == 0) {
        comm.abort();
    }

    const std::optional<error> failure = error_of([&] { (void)reduced(comm); });

    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->code(), errc::failed) << failure->what();
    EXPECT_EQ(failure->rank(), 0) << failure->what();
    EXPECT_NE(failure->text().find("abort() was called"), std::string::npos) << failure->what();

    meet();
}

TEST_F(LateRank, IsNamedWhenAPlanIsMade)
{
    communicator comm(MPI_COMM_WORLD, {.warn_s = warning_s, .timeout_s = deadline_s});

    if (world_rank() != last_) {
        EXPECT_TRUE(fails_with(errc::timeout, {last_name_},
                               [&] { const reduce_plan<float> plan(comm, sum, {.results = 3}); }));
    }

    meet();
}

} // namespace
} // namespace rankfold::test
