// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A communicator, its plans and arrays that are destroyed at any moment of a call that may wait for another
// rank: no memory is taken from under a kernel, destruction does not wait for long, and the GPU is well
// after.
#include "device_test.hpp"

#include "support/dice.hpp"

#include <memory>
#include <thread>

namespace rankfold::test {
namespace {

/// How the scope of a communicator is left.
enum class way { returns, unwinds, aborts, by_the_deadline };

/// Of the user's own.
struct interrupted {};

class GivenUpCommunicator : public testing::Test {
protected:
    static constexpr double deadline_s = 1.5;
    static constexpr std::int64_t count = 100'000;

    /// What a scope owns, destroyed in one order or another.
    struct owned {
        explicit owned(double timeout_s)
            : comm(std::make_unique<communicator>(MPI_COMM_WORLD,
                                                  communicator_options{.timeout_s = timeout_s})),
              in(std::make_unique<array<double>>(*comm, std::vector<double>(count, 1.0))),
              out(std::make_unique<array<double>>(*comm, count)),
              total(std::make_unique<array<double>>(*comm, 1)),
              reduce(std::make_unique<reduce_plan<double>>(*comm, sum)),
              scan(std::make_unique<scan_plan<double>>(*comm, inclusive, sum,
                                                       scan_plan_options<double>{.max_count = count}))
        {
            choose_gpu(*comm);
        }
        void call(cudaStream_t stream) const
        {
            reduce->execute(in->data(), count, total->data(), on(stream));
            scan->execute(in->data(), out->data(), count, on(stream));
        }
        std::unique_ptr<communicator> comm;
        std::unique_ptr<array<double>> in;
        std::unique_ptr<array<double>> out;
        std::unique_ptr<array<double>> total;
        std::unique_ptr<reduce_plan<double>> reduce;
        std::unique_ptr<scan_plan<double>> scan;
    };

    /// One scope. Rank 0 calls, the others only where all is to go well.
    void leave(way how, std::chrono::microseconds moment, bool memory_last)
    {
        stopwatch destroying;
        const user_stream stream;
        try {
            owned all(how == way::by_the_deadline ? deadline_s : 20.0);
            if (world_rank() == 0 || how == way::returns) {
                all.call(stream);
            }
            std::this_thread::sleep_for(moment);
            destroying = {};
            if (world_rank() == 0 && how == way::aborts) {
                all.comm->abort();
            } else if (how == way::unwinds) {
                throw interrupted{};
            } else if (world_rank() == 0 && how == way::by_the_deadline) {
                EXPECT_TRUE(fails_with(errc::timeout, {"rank 1"}, [&] { all.comm->wait(stream); }));
                EXPECT_LT(destroying.seconds(), deadline_s + 2.0);
            }
            if (memory_last) {
                all.comm.reset();
                all.reduce.reset();
            }
        } catch (const interrupted&) {
        }
        EXPECT_LT(destroying.seconds(), deadline_s + 12.0);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        MPI_Barrier(MPI_COMM_WORLD);
    }
};

TEST_F(GivenUpCommunicator, AtAnyMomentLeavesTheGpuWell)
{
    RANKFOLD_NEEDS_RANKS(2);
    const communicator first(MPI_COMM_WORLD);
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(!queues(first), "calls wait for other ranks before they return here");
    dice random(announced_seed());
    for (int round = 0; round < 50 && !HasFailure(); ++round) {
        const auto how = static_cast<way>(round % 4);
        const std::chrono::microseconds moment(random.below(how == way::by_the_deadline ? 300 : 3000));
        SCOPED_TRACE(testing::Message() << "round " << round << ", way " << static_cast<int>(how)
                                        << ", after " << moment.count() << " us");
        leave(how, moment, random.one_in(2));
        if (round % 10 == 9) {
            expect_all_is_well();
        }
    }
}

/// What waits for no other rank is not ended, but waited for; and left alone where that takes too long.
TEST(GivenUpCommunicatorOfOne, WaitsForItsCallsButNotForEver)
{
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(world_size() > 1, "calls wait for other ranks");
    int* stop = nullptr;
    ASSERT_EQ(cudaMallocHost(&stop, sizeof *stop), cudaSuccess);
    double* total = nullptr;
    ASSERT_EQ(cudaMallocHost(&total, sizeof *total), cudaSuccess);
    struct round {
        double held_s;
        bool unwinds;
    };
    for (const auto& [held_s, unwinds] : {round{0.3, false}, round{0.3, true}, round{30, false}}) {
        SCOPED_TRACE(testing::Message() << held_s << (unwinds ? ", by an exception" : ""));
        *stop = 0;
        *total = 0;
        const user_stream stream;
        const array<double> in(communicator(MPI_COMM_WORLD), std::vector<double>(1000, 1.0));
        stopwatch destroying;
        try {
            const communicator comm(MPI_COMM_WORLD);
            reduce_plan<double> plan(comm, sum);
            stream.hold(held_s, stop);
            plan.execute(in.data(), 1000, total, on(stream));
            destroying = {};
            if (unwinds) {
                throw interrupted{};
            }
        } catch (const interrupted&) {
        }
        EXPECT_LT(destroying.seconds(), 13.0);
        EXPECT_EQ(cudaStreamQuery(stream), held_s > 1 ? cudaErrorNotReady : cudaSuccess);

        *static_cast<volatile int*>(stop) = 1;
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);

        EXPECT_EQ(*total, 1000.0);
    }
    EXPECT_EQ(cudaFreeHost(total), cudaSuccess);
    EXPECT_EQ(cudaFreeHost(stop), cudaSuccess);
    expect_all_is_well();
}

/// Where calls block the last rank's fails by the deadline, and what it has on the GPU is given up then.
TEST_F(GivenUpCommunicator, AfterTheDeadlineLeavesTheGpuWell)
{
    RANKFOLD_NEEDS_RANKS(2);
    for (int round = 0; round < 3; ++round) {
        const user_stream stream;
        {
            const owned all(deadline_s);
            if (world_rank() == 0) {
                EXPECT_TRUE(fails_with(errc::timeout, {"rank 1"}, [&] {
                    all.call(stream);
                    all.comm->wait(stream);
                }));
            }
        }
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    expect_all_is_well();
}

} // namespace
} // namespace rankfold::test
