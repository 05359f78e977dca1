// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a process does beside its calls, forks, signals, threads of its own, does not harm a communicator,
// and the communicator does not harm the process.
#include "rankfold/rankfold.hpp"
#include "support/distributed.hpp"
#include "support/expect.hpp"
#include "support/thread_limit.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace rankfold::test {
namespace {

using namespace std::chrono_literals;

int all_reduced(const communicator& comm)
{
    const std::vector<int> ones(10'000, 1);
    return all_reduce<int>(comm, sum, std::span(ones)) / 10'000;
}

// ---- the thread that watches

TEST(Process, HasOneThreadThatWatchesOverAllCommunicators)
{
    std::vector<communicator> all;
    for (int i = 0; i < 40; ++i) {
        all.emplace_back(MPI_COMM_WORLD);
    }

    EXPECT_EQ(watch_threads(), 1);
    EXPECT_EQ(all_reduced(all.back()), world_size());

    all.clear();
    EXPECT_EQ(watch_threads(), 0);
}

TEST(Process, WithoutAnotherThreadOnOneRankIsAnErrorOnEvery)
{
    const int last = world_size() - 1;
    {
        std::optional<no_more_threads> limit;
        if (world_rank() == last) {
            limit.emplace();
        }
        EXPECT_TRUE(fails_with(errc::usage, {"rank " + std::to_string(last), "thread", "unavailable"},
                               [] { const communicator comm(MPI_COMM_WORLD); }));
    }

    EXPECT_EQ(all_reduced(communicator(MPI_COMM_WORLD)), world_size());
}

// ---- limits

TEST(Process, LimitsThatMeanNeverDoNotEndACallThatIsLate)
{
    for (const char* never : {"1e9", "9.3e9", "1e10", "1e18", "1e300", "inf"}) {
        const scoped_environment timeout("RANKFOLD_TIMEOUT_S", never);
        const communicator comm(MPI_COMM_WORLD, {.warn_s = 0.05}); // looks every 5 ms
        if (comm.rank() == comm.size() - 1) {
            std::this_thread::sleep_for(150ms);
        }
        EXPECT_EQ(all_reduced(comm), world_size()) << never;
    }
}

TEST(Process, LimitsArePrintedAsTheyWereGiven)
{
    RANKFOLD_NEEDS_RANKS(2);
    communicator comm(MPI_COMM_WORLD, {.warn_s = 600.0, .timeout_s = 0.5});
    if (world_rank() == 0) {
        EXPECT_TRUE(fails_with(errc::timeout, {"was not completed within 0.5 s; missing"},
                               [&] { static_cast<void>(all_reduced(comm)); }));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

// ---- forks

std::optional<communicator>& destroyed_after_main()
{
    static std::optional<communicator> comm;
    return comm;
}

/// The exit code of a child that does this; it has a bounded time.
int exit_code_of_child(void (*action)())
{
    const pid_t child = fork();
    if (child == 0) {
        alarm(10);
        action();
        _exit(7);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    return WEXITSTATUS(status);
}

class Fork : public testing::Test {
protected:
    ~Fork() override { destroyed_after_main().reset(); }
    communicator& comm_ = destroyed_after_main().emplace(
        MPI_COMM_WORLD, communicator_options{.warn_s = 600.0, .timeout_s = 2.0});
    int one_ = all_reduced(comm_); // the team of threads is there
};

TEST_F(Fork, ChildrenEndAndTheParentGoesOn)
{
    const bool forks = world_rank() == world_size() - 1;
    for (int round = 0; forks && round < 5; ++round) {
        EXPECT_EQ(exit_code_of_child([] { std::exit(7); }), 7);
        EXPECT_EQ(exit_code_of_child([] { destroyed_after_main().reset(); }), 7);
        EXPECT_EQ(exit_code_of_child([] {}), 7);
    }

    EXPECT_EQ(all_reduced(comm_), world_size());
}

TEST_F(Fork, ChildrenMayDestroyPlansAndMemoryToo)
{
    static std::optional<reduce_plan<float>> plan;
    static std::optional<array<float>> memory;
    plan.emplace(comm_, sum);
    memory.emplace(comm_, 1000);

    EXPECT_EQ(exit_code_of_child([] {
                  plan.reset();
                  memory.reset();
                  destroyed_after_main().reset();
              }),
              7);

    float result = -1;
    plan->execute(memory->data(), 1000, &result);
    EXPECT_EQ(result, 0.0F);
    plan.reset();
    memory.reset();
}

TEST_F(Fork, CallsOfAChildAreAnErrorThatNamesTheParent)
{
    EXPECT_EQ(exit_code_of_child([] {
                  try {
                      static_cast<void>(all_reduced(*destroyed_after_main()));
                  } catch (const error& failure) {
                      const std::string parent = "process " + std::to_string(getppid());
                      _exit(failure.code() == errc::usage &&
                                    std::string(failure.what()).find(parent) != std::string::npos
                                ? 8
                                : 9);
                  }
              }),
              8);

    EXPECT_EQ(all_reduced(comm_), world_size());
}

TEST_F(Fork, ADestructionInAChildIsNotTakenForTheParents)
{
    RANKFOLD_NEEDS_RANKS(2);
    if (world_rank() == 1) {
        EXPECT_EQ(exit_code_of_child([] { destroyed_after_main().reset(); }), 7);
    }
    MPI_Barrier(MPI_COMM_WORLD);

    if (world_rank() != 1) {
        EXPECT_TRUE(fails_with(errc::timeout, {"rank 1", "not in Rankfold since call 1"},
                               [&] { static_cast<void>(all_reduced(comm_)); }));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

// ---- signals

std::atomic<int> signals{0};

TEST(Process, SignalsThatInterruptWaitsChangeNothing)
{
    struct sigaction counts {};
    struct sigaction before {};
    counts.sa_handler = [](int) { ++signals; }; // without SA_RESTART
    sigaction(SIGALRM, &counts, &before);
    constexpr itimerval often{{0, 500}, {0, 500}};
    constexpr itimerval never{};
    setitimer(ITIMER_REAL, &often, nullptr);

    for (int round = 0; round < 10; ++round) {
        const communicator comm(MPI_COMM_WORLD, {.warn_s = 0.02});
        if (comm.rank() == comm.size() - 1) {
            std::this_thread::sleep_for(30ms); // the others warn
        }
        EXPECT_EQ(all_reduced(comm), world_size());
    }

    setitimer(ITIMER_REAL, &never, nullptr);
    sigaction(SIGALRM, &before, nullptr);
    EXPECT_GT(signals, 10);
}

// ---- cores and names

TEST(Process, HasAThreadHoweverManyRanksShareACore)
{
    const scoped_environment unset("OMP_NUM_THREADS", std::nullopt);
    cpu_set_t all;
    cpu_set_t one;
    CPU_ZERO(&one);
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    for (int core = 0; CPU_COUNT(&one) == 0; ++core) {
        if (CPU_ISSET(core, &all)) {
            CPU_SET(core, &one); // the same on all ranks of a node
        }
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    MPI_Barrier(MPI_COMM_WORLD);

    const communicator comm(MPI_COMM_WORLD);
    const int threads = comm.threads();
    const int ranks = all_reduced(comm);

    MPI_Barrier(MPI_COMM_WORLD);
    sched_setaffinity(0, sizeof all, &all);
    EXPECT_EQ(threads, 1);
    EXPECT_EQ(ranks, world_size());
}

TEST(Process, MayHaveANameThatLooksLikeAState)
{
    RANKFOLD_NEEDS_RANKS(2);
    communicator comm(MPI_COMM_WORLD, {.warn_s = 600.0, .timeout_s = 0.5});
    std::array<char, 16> name{};
    prctl(PR_GET_NAME, name.data());
    prctl(PR_SET_NAME, "a) Z (b"); // Z is how the system marks a process that has ended
    MPI_Barrier(MPI_COMM_WORLD);

    if (world_rank() == 0) {
        const auto failure = error_of([&] { static_cast<void>(all_reduced(comm)); });
        ASSERT_TRUE(failure);
        EXPECT_NE(std::string(failure->what()).find("has made no call yet"), std::string::npos);
        EXPECT_EQ(std::string(failure->what()).find("gone"), std::string::npos) << failure->what();
    }

    MPI_Barrier(MPI_COMM_WORLD);
    prctl(PR_SET_NAME, name.data());
}

// ---- teams of threads of the program's own

TEST(Process, MayCallFromWithinAParallelRegion)
{
    const scoped_environment threads("OMP_NUM_THREADS", "4");
    const communicator comm(MPI_COMM_WORLD);
    std::vector<double> in(100'000);
    for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = 1.0 / (3.0 + static_cast<double>(i % 101));
    }
    std::vector<double> expected(in.size());
    std::vector<double> out(in.size());
    inclusive_scan(comm, sum, std::span<const double>(in), std::span(expected));
    const double total = all_reduce<double>(comm, sum, std::span<const double>(in));
    double inner_total = 0;

#pragma omp parallel num_threads(3)
#pragma omp master
    {
        inclusive_scan(comm, sum, std::span<const double>(in), std::span(out));
        inner_total = all_reduce<double>(comm, sum, std::span<const double>(in));
    }

    EXPECT_TRUE(same_elements(out, expected));
    EXPECT_TRUE(same_bits(inner_total, total));
}

TEST(Process, ThreadsThatCallAtOnceGetAnErrorOrTheirResult)
{
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(world_size() > 1, "ranks would disagree on which thread's call counts");
    const communicator comm(MPI_COMM_WORLD);
    std::atomic<int> right{0};
    std::atomic<int> refused{0};
    std::atomic<int> wrong{0};

#pragma omp parallel num_threads(4)
    for (int round = 0; round < 200; ++round) {
        try {
            ++(all_reduced(comm) == 1 ? right : wrong);
        } catch (const error& failure) {
            const std::string text = failure.what();
            ++(text.find("two threads") != text.npos || text.find("another thread") != text.npos ? refused
                                                                                                 : wrong);
        }
    }

    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(right + refused, 800);
    const std::optional<error> after = error_of([&] { EXPECT_EQ(all_reduced(comm), 1); });
    EXPECT_EQ(after.has_value(), refused > 0)
        << "other ranks may wait for a call that was refused: it fails all";
    EXPECT_TRUE(!after || after->code() == errc::failed);
}

} // namespace
} // namespace rankfold::test
