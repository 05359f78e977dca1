// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One rank's n-th library call fails, for every n until a run has no more: every rank throws, nobody waits,
// no total is wrong, and a new communicator works.
#include "fault/injection.hpp"
#include "rankfold/rankfold.hpp"
#include "support/distributed.hpp"
#include "support/expect.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace rankfold::test {
namespace {

constexpr double deadline_s = 30;
/// Far below the deadline, far above what a loaded machine takes.
constexpr double at_once_s = 10;

std::string name_of(library_call kind)
{
    switch (kind) {
    case library_call::mpi_irecv:
        return "MPI_Irecv";
    case library_call::mpi_isend:
        return "MPI_Isend";
    case library_call::mpi_testsome:
        return "MPI_Testsome";
    case library_call::mpi_iprobe:
        return "MPI_Iprobe";
    case library_call::mpi_recv:
        return "MPI_Recv";
    case library_call::aligned_alloc:
        return "aligned_alloc";
    case library_call::operator_new:
        return "operator new";
    case library_call::thread:
        return "pthread_create";
    }
    return "?";
}

/// What a rank saw of a run.
class observer {
public:
    template <class Call>
    void see(Call call)
    {
        const auto start = std::chrono::steady_clock::now();
        try {
            call();
        } catch (const error&) {
            threw_ = true;
        } catch (const std::bad_alloc&) {
            threw_ = true;
        }
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        longest_s_ = std::max(longest_s_, spent.count());
    }
    void expect(bool right) { wrong_ = wrong_ || !right; }
    [[nodiscard]] bool threw() const { return threw_; }
    [[nodiscard]] bool wrong() const { return wrong_; }
    [[nodiscard]] double longest_s() const { return longest_s_; }

private:
    bool threw_ = false;
    bool wrong_ = false;
    double longest_s_ = 0;
};

/// A few calls of every kind, on memory that is there before the first, so that all failures are the
/// library's.
class calls {
public:
    explicit calls(const communicator& comm) : comm_(comm) {}

    void run(observer& seen)
    {
        seen.see([&] { plan_of_sums(seen); });
        seen.see([&] { one_shot(seen); });
        seen.see([&] { plan_of_many(seen); });
        seen.see([&] { scan(seen); });
    }
    void one_shot(observer& seen)
    {
        const int mine = comm_.rank() + 1;
        const int total = all_reduce<int>(comm_, sum, std::span(&mine, 1));
        seen.expect(total == comm_.size() * (comm_.size() + 1) / 2);
    }

private:
    void plan_of_sums(observer& seen)
    {
        reduce_plan<int> plan(comm_, sum);
        for (int round = 1; round <= 2; ++round) {
            const int mine = round;
            int total = 0;
            plan.execute(&mine, 1, &total);
            seen.expect(total == round * comm_.size());
        }
    }
    /// More values than fit a slot.
    void plan_of_many(observer& seen)
    {
        exscan_plan<double> plan(comm_, sum, {.values = static_cast<int>(ones_.size())});
        plan.execute(ones_.data(), before_.data());
        for (const double b : before_) {
            seen.expect(b == comm_.rank());
        }
    }
    void scan(observer& seen)
    {
        inclusive_scan(comm_, sum, std::span(pair_), std::span(upto_));
        seen.expect(upto_[0] == 2 * comm_.rank() + 1 && upto_[1] == 2 * comm_.rank() + 2);
    }

    const communicator& comm_;
    std::vector<double> ones_ = std::vector<double>(60, 1.0);
    std::vector<double> before_ = std::vector<double>(60, -1.0);
    std::vector<int> pair_{1, 1};
    std::vector<int> upto_{0, 0};
};

/// @return whether a call failed
bool run_with(library_call kind, int nth, int victim)
{
    const communicator comm(MPI_COMM_WORLD, {.warn_s = deadline_s, .timeout_s = deadline_s});
    observer seen;
    calls all(comm);
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == victim) {
        let_fail(kind, nth);
    }
    all.run(seen);
    const bool fired = on_any_rank(let_work());
    seen.see([&] { all.one_shot(seen); }); // who had all that it waited for hears now

    const std::string which = name_of(kind) + ", call " + std::to_string(nth);
    EXPECT_FALSE(seen.wrong()) << which;
    EXPECT_EQ(seen.threw(), fired) << which;
    EXPECT_LT(seen.longest_s(), at_once_s) << which;
    return fired;
}

class EveryCall : public testing::TestWithParam<library_call> {};

TEST_P(EveryCall, ThatFailsOnOneRankFailsAllAtOnceAndNoTotalIsWrong)
{
    const int victim = world_size() / 2;
    ASSERT_FALSE(run_with(GetParam(), 1'000'000, victim)) << "what is done once is done";
    int nth = 1;
    while (run_with(GetParam(), nth, victim) && !on_any_rank(HasFailure())) {
        ++nth;
    }

    EXPECT_GT(nth, 8) << "too little was tried";
}

INSTANTIATE_TEST_SUITE_P(OfMpiAndMemory, EveryCall,
                         testing::Values(library_call::mpi_irecv, library_call::mpi_isend,
                                         library_call::aligned_alloc, library_call::operator_new),
                         [](const auto& which) {
                             std::string name = name_of(which.param);
                             std::replace(name.begin(), name.end(), ' ', '_');
                             return name;
                         });

/// Polls are as many as the others are late.
TEST(FirstPolls, ThatFailOnOneRankFailAllAtOnce)
{
    for (int nth = 1; nth <= 4; ++nth) {
        (void)run_with(library_call::mpi_testsome, nth, 0);
    }
    (void)run_with(library_call::mpi_iprobe, 1, 0);
}

} // namespace
} // namespace rankfold::test
