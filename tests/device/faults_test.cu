// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every launch, allocation and copy of a small program fails once, on one rank: every rank throws, or none
// and all is right; nobody waits for the deadline; no later total is wrong; a new communicator works.
#include "../gpu/planted_faults.hpp"
#include "device_test.hpp"

#include <memory>
#include <optional>

namespace rankfold::test {
namespace {

constexpr double deadline_s = 4;
constexpr std::int64_t count = 50'000;

/// What one rank saw of the program.
struct outcome {
    std::string error; ///< the first
    int calls_after = 0;
    bool wrong = false; ///< a result that was given without an error
    double seconds = 0;
};

class Faults : public testing::Test {
protected:
    /// Makes what it needs, calls, and looks at the results; after an error it tries to go on.
    static outcome run(const communicator& comm, cudaStream_t stream)
    {
        outcome seen;
        const stopwatch time;
        const auto attempt = [&](const auto& step) {
            try {
                step();
            } catch (const error& problem) {
                seen.error = seen.error.empty() ? problem.what() : seen.error;
            }
        };
        attempt([&] { calls(comm, stream, seen); });
        seen.seconds = time.seconds();
        attempt([&] { // as a careless user would
            const std::vector<double> one{1.0};
            seen.wrong = seen.wrong || all_reduce<double>(comm, sum, std::span(one)) != comm.size();
        });
        return seen;
    }

    static void calls(const communicator& comm, cudaStream_t stream, outcome& seen)
    {
        communicator& waits = const_cast<communicator&>(comm);
        const array<double> in = to_backend(comm, std::vector<double>(count, 1.0));
        array<double> out(comm, count);
        array<double> totals(comm, 3);
        reduce_plan<double> three(comm, sum, {.results = 3});
        scan_plan<double> scan(comm, inclusive, sum, {.max_count = count});
        exscan_plan<double> offset(comm, sum);
        const std::span<const double> piece = in.span();
        const std::span<const double> pieces[] = {piece, piece.first(1), piece.first(0)};
        const double ranks = comm.size();
        for (int round = 0; round < 2; ++round) {
            three.execute(pieces, totals.data(), on(stream));
            waits.wait(stream);
            std::vector<double> got(3);
            totals.read(got);
            seen.wrong = seen.wrong || got != std::vector<double>{count * ranks, ranks, 0.0};

            scan.execute(in.data(), out.data(), count, on(stream));
            offset.execute(in.data(), totals.data(), on(stream));
            waits.wait(stream);
            std::vector<double> sums(count);
            out.read(sums);
            totals.read(got);
            seen.wrong = seen.wrong || sums.back() != static_cast<double>(count) * (comm.rank() + 1) ||
                         got[0] != comm.rank();
        }
    }
};

TEST_F(Faults, OfEveryCudaCallOnOneRankEndTheCallOnAll)
{
    const bool culprit = world_rank() == world_size() - 1;
    int recovered = 0;
    int failed = 0;
    for (int n = 1; !on_any_rank(HasFailure()); ++n) {
        const communicator comm(MPI_COMM_WORLD, {.timeout_s = deadline_s});
        choose_gpu(comm);
        const user_stream stream;
        std::optional<planted_faults> faults;
        if (culprit) {
            faults.emplace(cudaErrorInvalidValue, n);
        }
        MPI_Barrier(MPI_COMM_WORLD);

        const outcome seen = run(comm, stream);

        int over = culprit && planted_faults::calls() < n ? 1 : 0; // there is no n-th call
        const auto kind = static_cast<int>(planted_faults::failed_step());
        faults.reset();
        MPI_Allreduce(MPI_IN_PLACE, &over, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        const int threw = seen.error.empty() ? 0 : 1;
        int throwing = 0;
        MPI_Allreduce(&threw, &throwing, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        // A rank's copies of its own arrays are no call: behind the last one nobody else has to hear of them.
        int own_affair =
            culprit && threw && planted_faults::failed_step() == planted_faults::step::copy ? 1 : 0;
        MPI_Allreduce(MPI_IN_PLACE, &own_affair, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        EXPECT_TRUE(throwing == 0 || throwing == world_size() || (throwing == 1 && own_affair == 1))
            << "call " << n << " of kind " << kind << ": " << throwing << " ranks threw, this one '"
            << seen.error << "'";
        EXPECT_FALSE(seen.wrong) << "call " << n << " of kind " << kind << ": a wrong result; '" << seen.error
                                 << "'";
        EXPECT_LT(seen.seconds, deadline_s / 2)
            << "call " << n << " of kind " << kind << ": '" << seen.error << "'";
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        if (over) {
            EXPECT_EQ(throwing, 0);
            break;
        }
        recovered += throwing == 0 ? 1 : 0;
        failed += throwing == 0 ? 0 : 1;
        ASSERT_LT(n, 1000);
    }
    if (HasFailure()) {
        return;
    }
    EXPECT_GT(failed, 10);
    EXPECT_LT(recovered,
              failed); // a cooperative launch that is refused, memory of pools that are not to be had
    expect_all_is_well();
}

/// Memory that is not to be had while something is made is an error on all ranks, and they go on.
TEST_F(Faults, OfAnAllocationLeaveTheCommunicatorUsable)
{
    const communicator comm(MPI_COMM_WORLD, {.timeout_s = deadline_s});
    choose_gpu(comm);
    for (int n = 1; n <= 3; ++n) {
        std::optional<planted_faults> faults;
        if (world_rank() == world_size() - 1) {
            faults.emplace(cudaErrorMemoryAllocation, planted_faults::step::allocate);
        }
        MPI_Barrier(MPI_COMM_WORLD);

        EXPECT_TRUE(fails_with(errc::out_of_memory, {}, [&] { const reduce_plan<double> plan(comm, sum); }));

        faults.reset();
        const std::vector<double> one{1.0};
        EXPECT_EQ(all_reduce<double>(comm, sum, std::span(one)), comm.size());
    }
}

} // namespace
} // namespace rankfold::test
