// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Order and bits: the interval monoid, and results that do not depend on the number of threads.
#include "host_backend/builtin.hpp"
#include "rankfold/host/operation.hpp"
#include "runner.hpp"
#include "support/interval.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace rankfold::test {
namespace {

constexpr std::int64_t block = host::block_elements<std::int64_t>;

std::vector<std::int64_t> indices(std::int64_t count)
{
    std::vector<std::int64_t> x(static_cast<std::size_t>(count));
    std::iota(x.begin(), x.end(), 0);
    return x;
}

/// The number of wrong elements of an interval scan that began at `begin`.
std::int64_t wrong(results<interval>& y, std::int64_t begin, bool inclusive)
{
    std::int64_t count = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const auto index = static_cast<std::int64_t>(i);
        count += !(y[i] == interval(begin, inclusive ? index + 1 : index));
    }
    return count;
}

class Intervals : public testing::TestWithParam<std::int64_t> {
protected:
    operation op = host::make_operation(interval_algebra{});
    std::vector<std::int64_t> x = indices(GetParam());
};

TEST_P(Intervals, ReductionJoinsAllInOrder)
{
    const auto n = GetParam();
    for (const int threads : {1, 2, 3, 8}) {
        const auto whole =
            run_reduce<std::int64_t, interval>(op, {std::span(std::as_const(x))}, {.threads = threads});
        EXPECT_EQ(whole, interval(0, n));
    }
}

TEST_P(Intervals, ScansJoinAllInOrder)
{
    const auto n = GetParam();
    for (const int threads : {1, 2, 3, 8}) {
        for (const bool inclusive : {true, false}) {
            results<interval> y(x.size());
            results<interval> total(1);
            const std::optional<interval> init(interval(-5, 0));
            const run_options options{.threads = threads, .inclusive = inclusive};

            run_scan<std::int64_t, interval>(op, x.data(), y.data(), n, options, init, total.data());
            EXPECT_EQ(wrong(y, -5, inclusive), 0);
            EXPECT_EQ(total[0], interval(-5, n));

            results<interval> z(x.size());
            run_tile_scan<std::int64_t, interval>(op, x.data(), z.data(), {0, n / 3, 0, 1, n - n / 3 - 1, 0},
                                                  options, init);
            EXPECT_EQ(wrong(z, -5, inclusive), 0);
        }
    }
}

TEST_P(Intervals, InclusiveScanNeedsNoInit)
{
    results<interval> y(x.size());

    run_scan<std::int64_t, interval>(op, x.data(), y.data(), GetParam());

    EXPECT_EQ(wrong(y, 0, true), 0);
}

/// Elements say nothing: the index that lift() is told is what counts.
struct index_algebra : interval_algebra {
    constexpr interval lift(std::int64_t /*x*/, std::int64_t index) const { return {index, index + 1}; }
};

TEST_P(Intervals, LiftIsToldThePlaceInThePiece)
{
    const operation by_index = host::make_operation(index_algebra{});
    const auto n = GetParam();
    const std::vector<std::int64_t> nothing(x.size());
    results<interval> y(x.size());

    const auto whole =
        run_reduce<std::int64_t, interval>(by_index, {std::span(std::as_const(nothing))}, {.threads = 2});
    run_scan<std::int64_t, interval>(by_index, nothing.data(), y.data(), n);

    EXPECT_EQ(whole, interval(0, n));
    EXPECT_EQ(wrong(y, 0, true), 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Intervals,
                         testing::Values(1, 2, 63, 64, 65, 1000, block - 1, block, block + 1,
                                         7 * block + 12345, 130 * block + 1));

/// The bytes of a scan and a reduction of random numbers, for one thread count.
template <operator_id Id, class In, class Out>
std::vector<Out> everything(const std::vector<In>& x, int threads)
{
    const auto op = *host::find_operation(Id, element_type_of<In>, element_type_of<Out>);
    const auto n = static_cast<std::int64_t>(x.size());
    std::vector<Out> all;
    for (const bool inclusive : {true, false}) {
        std::vector<Out> y(x.size());
        Out total{};
        run_scan<In, Out>(op, x.data(), y.data(), n, {.threads = threads, .inclusive = inclusive}, Out(0.1F),
                          &total);
        all.insert(all.end(), y.begin(), y.end());
        all.push_back(total);
        run_tile_scan<In, Out>(op, x.data(), y.data(), {n / 2, n - n / 2},
                               {.threads = threads, .inclusive = inclusive});
        all.insert(all.end(), y.begin(), y.end());
    }
    all.push_back(run_reduce<In, Out>(op, {std::span(x)}, {.threads = threads}));
    return all;
}

template <operator_id Id, class In, class Out>
void expect_same_bits_for_any_thread_count()
{
    std::mt19937_64 random(1);
    std::uniform_real_distribution<float> uniform(0.5F, 2.0F);
    std::vector<In> x(5 * host::block_elements<In> + 4321);
    for (In& e : x) {
        e = static_cast<In>(uniform(random));
    }

    const std::vector<Out> one = everything<Id, In, Out>(x, 1);

    for (const int threads : {2, 3, 8}) {
        const std::vector<Out> many = everything<Id, In, Out>(x, threads);
        EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size() * sizeof(Out)), 0) << threads;
    }
}

TEST(Bits, DoNotDependOnTheThreadCount)
{
    expect_same_bits_for_any_thread_count<operator_id::sum, float, float>();
    expect_same_bits_for_any_thread_count<operator_id::sum, float, double>();
    expect_same_bits_for_any_thread_count<operator_id::sum, double, double>();
    expect_same_bits_for_any_thread_count<operator_id::sum, float16, float>();
    expect_same_bits_for_any_thread_count<operator_id::prod, double, double>();
    expect_same_bits_for_any_thread_count<operator_id::max, float, float>();
}

TEST(Bits, RepeatFromRunToRun)
{
    const std::vector<float> x(3 * host::block_elements<float> + 7, 0.1F);

    const auto first = everything<operator_id::sum, float, float>(x, 3);

    for (int repeat = 0; repeat < 20; ++repeat) {
        const auto again = everything<operator_id::sum, float, float>(x, 3);
        ASSERT_EQ(std::memcmp(first.data(), again.data(), first.size() * sizeof(float)), 0);
    }
}

} // namespace
} // namespace rankfold::test
