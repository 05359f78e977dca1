// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Contract 7: the same bits on every rank, in every repeat, at every alignment, for every thread count. The
// data round, so that any other grouping of the sum would show.
#include "rankfold/rankfold.hpp"
#include "support/backend_data.hpp"
#include "support/distributed.hpp"
#include "support/distributions.hpp"
#include "support/expect.hpp"
#include "support/matrix.hpp"

namespace rankfold::test {
namespace {

/// Numbers of very different sizes, with all bits in use.
std::vector<float> rounding_data(std::int64_t offset, std::int64_t count)
{
    std::vector<float> result;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint64_t random = scrambled(static_cast<std::uint64_t>(offset + i));
        result.push_back(
            std::ldexp(static_cast<float>(random % 16777216) - 8e6F, static_cast<int>(random >> 60) - 20));
    }
    return result;
}

struct results {
    float sum;
    std::vector<float> inclusive;
    std::vector<float> exclusive;
    float total;
};

testing::AssertionResult same_results(const results& x, const results& y)
{
    if (!same_bits(x.sum, y.sum) || !same_bits(x.total, y.total)) {
        return testing::AssertionFailure() << "sums " << x.sum << " and " << y.sum << ", totals " << x.total
                                           << " and " << y.total << " differ";
    }
    const auto scans = same_elements(x.inclusive, y.inclusive);
    return scans ? same_elements(x.exclusive, y.exclusive) : scans;
}

class SameBits : public testing::Test {
protected:
    SameBits() : where_(layout_of(distribution::ragged, 100003, world_rank(), world_size())) {}

    /// Everything once, with the data `shift` elements from the start of its allocation.
    results all_of_it(communicator& comm, std::int64_t shift = 0) const
    {
        std::vector<float> padded(static_cast<std::size_t>(shift), 0.0F);
        const auto mine = rounding_data(where_.offset, where_.count);
        padded.insert(padded.end(), mine.begin(), mine.end());
        const array<float> in = to_backend(comm, padded);
        array<float> upto(comm, where_.count + shift);
        array<float> before(comm, where_.count + shift);
        array<float> totals(comm, 2);
        reduce_plan<float> reduction(comm, sum);
        scan_plan<float> including(comm, inclusive, sum, {.max_count = where_.count});
        scan_plan<float> excluding(comm, exclusive, sum, {.max_count = where_.count});

        reduction.execute(in.data() + shift, where_.count, totals.data(), on_stream(comm));
        including.execute(in.data() + shift, upto.data() + shift, where_.count, totals.data() + 1,
                          on_stream(comm));
        excluding.execute(in.data() + shift, before.data() + shift, where_.count, on_stream(comm));

        const auto sums = to_host(comm, totals);
        return {sums[0], piece(to_host(comm, upto), shift), piece(to_host(comm, before), shift), sums[1]};
    }
    static std::vector<float> piece(const std::vector<float>& padded, std::int64_t shift)
    {
        return {padded.begin() + shift, padded.end()};
    }

    layout where_;
};

TEST_F(SameBits, OnEveryRank)
{
    communicator comm(MPI_COMM_WORLD);

    const results here = all_of_it(comm);

    std::array<float, 2> of_rank_0{here.sum, here.total};
    MPI_Bcast(of_rank_0.data(), 2, MPI_FLOAT, 0, MPI_COMM_WORLD);
    EXPECT_TRUE(same_bits(here.sum, of_rank_0[0]));
    EXPECT_TRUE(same_bits(here.total, of_rank_0[1]));
}

TEST_F(SameBits, InEveryRepeat)
{
    communicator comm(MPI_COMM_WORLD);
    const results first = all_of_it(comm);

    for (int repeat = 0; repeat < 5; ++repeat) {
        EXPECT_TRUE(same_results(all_of_it(comm), first));
    }
}

TEST_F(SameBits, AtEveryAlignment)
{
    communicator comm(MPI_COMM_WORLD);
    const results aligned = all_of_it(comm);

    for (int shift = 1; shift < 6; ++shift) {
        EXPECT_TRUE(same_results(all_of_it(comm, shift + world_rank()), aligned)) << "shift " << shift;
    }
}

TEST_F(SameBits, ForEveryThreadCount)
{
    std::optional<results> first;

    for (const int threads : {1, 2, 3, 8}) {
        const scoped_environment environment("OMP_NUM_THREADS", std::to_string(threads));
        communicator comm(MPI_COMM_WORLD);
        const results here = all_of_it(comm);
        first = first ? first : here;

        EXPECT_TRUE(comm.backend() != backend::host || comm.threads() == threads) << comm.threads();
        EXPECT_TRUE(same_results(here, *first)) << threads << " threads";
    }
}

TEST_F(SameBits, InPlanAndOneShot)
{
    communicator comm(MPI_COMM_WORLD);
    const results plans = all_of_it(comm);
    const auto mine = rounding_data(where_.offset, where_.count);
    results one_shot{0.0F, std::vector<float>(mine.size()), std::vector<float>(mine.size()), 0.0F};

    one_shot.sum = all_reduce<float>(comm, sum, std::span(mine));
    inclusive_scan(comm, sum, std::span(mine), std::span(one_shot.inclusive), {.total = &one_shot.total});
    exclusive_scan(comm, sum, std::span(mine), std::span(one_shot.exclusive));

    EXPECT_TRUE(same_results(one_shot, plans));
}

// BC-37
TEST_F(SameBits, InTwentyScansOfFractionsWhichStayCloseToTheExactSums)
{
    communicator comm(MPI_COMM_WORLD);
    std::vector<float> fractions;
    for (int i = 0; i < 1000000; ++i) {
        fractions.push_back(static_cast<float>(std::fmod(i * 3.141592653589793, 1.0)));
    }
    const layout where = split_evenly(1000000, world_rank(), world_size());
    const array<float> in = to_backend(comm, piece_of(fractions, where));
    array<float> out(comm, where.count);
    scan_plan<float> plan(comm, inclusive, sum, {.max_count = where.count});
    plan.execute(in.data(), out.data(), where.count, on_stream(comm));
    const std::vector<float> first = to_host(comm, out);

    for (int repeat = 1; repeat < 20; ++repeat) {
        plan.execute(in.data(), out.data(), where.count, on_stream(comm));
        EXPECT_TRUE(same_elements(to_host(comm, out), first));
    }

    double exact = std::accumulate(fractions.begin(), fractions.begin() + where.offset, 0.0);
    for (std::size_t i = 0; i < first.size(); ++i) {
        exact += fractions[static_cast<std::size_t>(where.offset) + i];
        ASSERT_NEAR(first[i], exact, 1e-5 * std::max(1.0, exact));
    }
}

// The bound of blocked summation, with the exact sum from whole numbers.
TEST_F(SameBits, WithinTheErrorBoundOfBlockedSummation)
{
    communicator comm(MPI_COMM_WORLD);
    const auto global = rounding_data(0, where_.total);
    double exact = 0;
    double magnitude = 0;
    for (const float x : global) {
        exact += x;
        magnitude += std::fabs(x);
    }

    const results here = all_of_it(comm);

    EXPECT_NEAR(here.sum, exact, magnitude * 0x1p-24 * 1000);
}

} // namespace
} // namespace rankfold::test
