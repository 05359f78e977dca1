// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One rule: a call that ends by anything but success on one rank fails the communicator on all of them at
// once, with the first reason and the rank that it came from; but for errors that all ranks find in the same
// call.
#include "fault/injection.hpp"
#include "rankfold/host/operation.hpp"
#include "rankfold/rankfold.hpp"
#include "support/distributed.hpp"
#include "support/expect.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <malloc.h>
#include <optional>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace rankfold::test {
namespace {

/// So long that a test that waits for it has failed.
constexpr double deadline_s = 60;
constexpr double at_once_s = 10;

class FailureRule : public testing::Test {
protected:
    static communicator make()
    {
        return communicator(MPI_COMM_WORLD, {.warn_s = deadline_s, .timeout_s = deadline_s});
    }
    static int reduced(const communicator& comm)
    {
        const int one = 1;
        return all_reduce<int>(comm, sum, std::span(&one, 1));
    }
    /// The error of a call, which must come at once.
    static std::optional<error> error_at_once(const std::function<void()>& call)
    {
        const auto start = std::chrono::steady_clock::now();
        std::optional<error> failure = error_of(call);
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        EXPECT_LT(spent.count(), at_once_s) << (failure ? failure->what() : "");
        return failure;
    }
    /// Two more calls on a failed communicator; then a new one works.
    void expect_failed(const communicator& comm) const
    {
        for (int i = 0; i < 2; ++i) {
            const std::optional<error> next = error_at_once([&] { (void)reduced(comm); });
            ASSERT_TRUE(next);
            EXPECT_EQ(next->code(), errc::failed) << next->what();
            EXPECT_EQ(next->rank(), culprit_) << next->what();
        }
        EXPECT_NE(comm.status(), errc::success);
        EXPECT_EQ(reduced(make()), world_size());
    }

    int culprit_ = world_size() - 1;
    bool is_culprit_ = world_rank() == culprit_;
    std::string culprits_name_ = "rank " + std::to_string(culprit_);
};

TEST_F(FailureRule, AnErrorOfMpiOnOneRankIsEveryRanksWithItsReason)
{
    const communicator comm = make();
    EXPECT_EQ(reduced(comm), world_size());
    MPI_Barrier(MPI_COMM_WORLD);

    if (is_culprit_) {
        let_fail(library_call::mpi_irecv, 1);
    }
    const std::optional<error> failure = error_at_once([&] { (void)reduced(comm); });
    (void)let_work();

    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->code(), errc::backend) << failure->what();
    EXPECT_NE(failure->text().find("MPI_Irecv"), std::string::npos) << failure->what();
    EXPECT_TRUE(is_culprit_ || failure->rank() == culprit_) << failure->what();
    EXPECT_TRUE(is_culprit_ || failure->text().find(culprits_name_) != std::string::npos) << failure->what();
    expect_failed(comm);
}

// A skipped exchange must not pair with the next call's.
TEST_F(FailureRule, NoTotalIsWrongAfterAnError)
{
    const communicator comm = make();
    reduce_plan<double> plan(comm, sum);

    for (int round = 1; round <= 6; ++round) {
        const double mine = round;
        double total = 0;
        if (is_culprit_ && round == 3) {
            let_fail(library_call::mpi_irecv, 1);
        }
        const std::optional<error> failure = error_at_once([&] { plan.execute(&mine, 1, &total); });
        EXPECT_TRUE(failure || round < 3) << round; // who leaves the round before late hears there already
        EXPECT_TRUE(failure || total == round * world_size()) << total;
    }
    (void)let_work();

    expect_failed(comm);
}

TEST_F(FailureRule, MemoryThatOneRankDoesNotGetForAPlanIsEveryRanksErrorAndAllGoOn)
{
    const communicator comm = make();

    if (is_culprit_) {
        let_all_fail(library_call::aligned_alloc);
    }
    const std::optional<error> failure =
        error_at_once([&] { const reduce_plan<float, double> plan(comm, sum); });
    (void)let_work();

    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->code(), errc::out_of_memory) << failure->what();
    EXPECT_EQ(failure->rank(), culprit_) << failure->what();
    EXPECT_EQ(comm.status(), errc::success);
    EXPECT_EQ(reduced(comm), world_size());
}

TEST_F(FailureRule, MemoryThatOneRankDoesNotGetForAOneShotScanIsEveryRanksErrorAndAllGoOn)
{
    const communicator comm = make();
    const std::vector<int> mine(1000, 1);
    std::vector<int> upto(1000);

    for (int nth = 1; nth <= 3; ++nth) { // slots, workspace, carry
        if (is_culprit_) {
            let_fail(library_call::aligned_alloc, nth);
        }
        const std::optional<error> failure =
            error_at_once([&] { inclusive_scan(comm, sum, std::span(mine), std::span(upto)); });
        (void)let_work();

        ASSERT_TRUE(failure) << nth;
        EXPECT_EQ(failure->code(), errc::out_of_memory) << failure->what();
        EXPECT_EQ(failure->rank(), culprit_) << failure->what();
    }
    EXPECT_EQ(reduced(comm), world_size());
}

TEST_F(FailureRule, AnArrayCanBeReadAfterAFailure)
{
    communicator comm = make();
    const array<double> data(comm, std::vector<double>{1, 2, 3});
    comm.abort();
    EXPECT_TRUE(error_of([&] { (void)reduced(comm); }));

    std::vector<double> back(3);
    data.read(back);

    EXPECT_EQ(back, (std::vector<double>{1, 2, 3}));
}

TEST_F(FailureRule, ARankThatDestroysItsCommunicatorIsNotWaitedFor)
{
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(std::getenv("RANKFOLD_TEST_NO_BOARD") != nullptr,
                                   "only ranks of the same node know of it");
    std::optional<communicator> comm(make());
    EXPECT_EQ(reduced(*comm), world_size());

    if (is_culprit_) {
        comm.reset();
    } else {
        const std::optional<error> failure = error_at_once([&] { (void)reduced(*comm); });
        ASSERT_TRUE(failure);
        EXPECT_EQ(failure->rank(), culprit_) << failure->what();
        EXPECT_NE(failure->text().find("destroyed its communicator after call 1"), std::string::npos)
            << failure->what();
    }

    MPI_Barrier(MPI_COMM_WORLD);
}

/// A rank that is stopped until the others have failed must not go on alone.
class StoppedRank : public FailureRule {
protected:
    /// @param stop  by the culprit, before its call or in it
    void expect_error_after(const std::function<void()>& stop) const
    {
        const communicator comm(MPI_COMM_WORLD, {.warn_s = deadline_s, .timeout_s = 0.5});
        EXPECT_EQ(reduced(comm), world_size());
        const pid_t own = getpid();
        const pid_t waker = is_culprit_ ? fork() : 0;
        if (is_culprit_ && waker == 0) {
            usleep(1'500'000);
            kill(own, SIGCONT);
            _exit(0);
        }

        if (is_culprit_) {
            stop();
        }
        const std::optional<error> failure = error_of([&] { (void)reduced(comm); });
        (void)let_work();

        ASSERT_TRUE(failure);
        EXPECT_EQ(failure->code(), errc::timeout) << failure->what();
        EXPECT_EQ(failure->rank(), culprit_) << failure->what();
        if (is_culprit_) {
            waitpid(waker, nullptr, 0);
        }
        expect_failed(comm);
    }
};

TEST_F(StoppedRank, BeforeItsCallGetsTheOthersError)
{
    expect_error_after([] { raise(SIGSTOP); });
}

TEST_F(StoppedRank, InsideItsCallGetsTheOthersError)
{
    expect_error_after([] { let_stop(library_call::mpi_irecv, 1); });
}

TEST_F(FailureRule, ASecondThreadInACallOnOneRankFailsAllRanks)
{
    const communicator comm = make();
    EXPECT_EQ(reduced(comm), world_size());
    std::optional<error> first;
    std::optional<error> second;

    if (is_culprit_) {
        std::thread late([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            second = error_of([&] { (void)reduced(comm); });
        });
        first = error_at_once([&] { (void)reduced(comm); }); // waits for rank 0
        late.join();
        ASSERT_TRUE(second);
        EXPECT_EQ(second->code(), errc::usage) << second->what();
    } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(world_rank() == 0 ? 500 : 0));
        first = error_at_once([&] { (void)reduced(comm); });
    }

    ASSERT_TRUE(first);
    EXPECT_EQ(first->code(), errc::usage) << first->what();
    EXPECT_NE(first->text().find("two threads"), std::string::npos) << first->what();
    EXPECT_EQ(first->rank(), culprit_) << first->what();
    expect_failed(comm);
}

/// A sum that refuses to overflow.
struct checked_sum {
    using input = std::int32_t;
    using accumulator = std::int32_t;
    using output = std::int32_t;
    static constexpr bool commutative = false;
    static constexpr bool has_identity = true;
    std::int32_t lift(std::int32_t x, std::int64_t /*index*/) const { return x; }
    std::int32_t combine(std::int32_t left, std::int32_t right) const
    {
        std::int32_t total = 0;
        if (__builtin_add_overflow(left, right, &total)) {
            throw std::overflow_error("checked_sum");
        }
        return total;
    }
    std::int32_t seal(std::int32_t a, std::int64_t /*count*/) const { return a; }
    std::int32_t lower(std::int32_t a) const { return a; }
    std::int32_t raise(std::int32_t a) const { return a; }
    std::int32_t identity() const { return 0; }
};

class ThrowingOperator : public FailureRule {
protected:
    /// The culprit gets its operator's own exception, the others hear of it.
    void expect_overflow(const std::function<void()>& call) const
    {
        if (is_culprit_) {
            EXPECT_THROW(call(), std::overflow_error);
        } else {
            EXPECT_TRUE(fails_with(errc::failed, {culprits_name_, "checked_sum"}, call));
        }
    }
    [[nodiscard]] std::vector<std::int32_t> values() const
    {
        std::vector<std::int32_t> x(100000, 1);
        x[50000] = is_culprit_ ? std::numeric_limits<std::int32_t>::max() : 1;
        return x;
    }
    operation op_ = host::make_operation(checked_sum{});
};

TEST_F(ThrowingOperator, InAReductionReachesItsCallerAndFailsAllRanks)
{
    const communicator comm = make();
    reduce_plan<std::int32_t> plan(comm, op_);
    const std::vector<std::int32_t> x = values();
    std::int32_t total = 0;
    MPI_Barrier(MPI_COMM_WORLD); // all have the plan before it fails

    expect_overflow([&] { plan.execute(x.data(), static_cast<std::int64_t>(x.size()), &total); });

    expect_failed(comm);
}

TEST_F(ThrowingOperator, InAScanReachesItsCallerAndFailsAllRanks)
{
    const communicator comm = make();
    scan_plan<std::int32_t> plan(comm, inclusive, op_, {.max_count = 200000});
    const std::vector<std::int32_t> x = values();
    std::vector<std::int32_t> y(x.size());
    MPI_Barrier(MPI_COMM_WORLD); // all have the plan before it fails

    expect_overflow([&] { plan.execute(x.data(), y.data(), static_cast<std::int64_t>(x.size())); });

    expect_failed(comm);
}

TEST_F(ThrowingOperator, InAScanOfOneRankReachesItsCaller)
{
    const communicator comm(MPI_COMM_SELF);
    scan_plan<std::int32_t> plan(comm, inclusive, op_, {.max_count = 200000});
    std::vector<std::int32_t> x(100000, 1);
    x[50000] = std::numeric_limits<std::int32_t>::max();
    std::vector<std::int32_t> y(x.size());

    EXPECT_THROW(plan.execute(x.data(), y.data(), static_cast<std::int64_t>(x.size())), std::overflow_error);
    EXPECT_TRUE(fails_with(errc::failed, {"checked_sum"}, [&] { (void)reduced(comm); }));
}

TEST_F(FailureRule, AThreadThatOneRankDoesNotGetFailsTheConstructionOnAllAndLeavesNothingBehind)
{
    EXPECT_EQ(reduced(make()), world_size()); // so that the teams of the local phases exist
    const int before = mpi_communicators();

    if (is_culprit_) {
        let_all_fail(library_call::thread);
    }
    const std::optional<error> failure = error_at_once([] { (void)make(); });
    const bool fired = on_any_rank(let_work());

    ASSERT_TRUE(fired) << "no thread was asked for";
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->rank(), culprit_) << failure->what();
    EXPECT_NE(failure->text().find(culprits_name_), std::string::npos) << failure->what();
    EXPECT_EQ(mpi_communicators(), before);
    EXPECT_EQ(reduced(make()), world_size());
    EXPECT_EQ(mpi_communicators(), before);
}

TEST_F(FailureRule, ErrorsThatAllFindTogetherKeepNoMemory)
{
    const communicator comm = make();
    const auto err = [&] {
        EXPECT_TRUE(error_of([&] { (void)reduce<int>(comm, sum, std::span<const int>(), 17); }));
    };
    for (int i = 0; i < 200; ++i) {
        err();
    }

    const std::size_t before = mallinfo2().uordblks;
    for (int i = 0; i < 400; ++i) {
        err();
    }
    const std::size_t after = mallinfo2().uordblks;

    // MPI may hold some messages that are under way; a description of each error would take 250 kB.
    EXPECT_LT(after, before + 100'000);
}

} // namespace
} // namespace rankfold::test
