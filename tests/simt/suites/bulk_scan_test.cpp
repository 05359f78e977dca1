// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "scan_trial.hpp"

#include <gtest/gtest.h>

namespace rankfold::simt {

template <>
inline std::int32_t suites::element(std::int64_t i)
{
    return static_cast<std::int32_t>(i) + 5;
}

namespace {

using namespace executor;
using namespace suites;

constexpr std::uint32_t last_epoch = ~std::uint32_t{0};
constexpr interval before_all{2, 5}; // joins what begins at 5

using bytes_sum = algebra<operator_id::sum, std::int8_t, std::int32_t, std::int8_t>;

/// Shared memory that a block can have: 227 KiB on 9.0, 163 on 8.0, 99 on 8.6 and 12.0.
TEST(SelectScan, TakesTheBulkFormForLongPiecesWhereItRuns)
{
    constexpr std::size_t kib = 1024;
    constexpr std::size_t needed = 200 * kib;
    const auto form_of = [](std::int64_t bytes, int compiled_for, std::size_t most_bytes) {
        return device::select_scan(bytes, device::can_run(compiled_for, 90, needed, most_bytes));
    };
    constexpr std::int64_t longest = device::bulk_crossover_bytes;

    EXPECT_EQ(form_of(longest, 90, 227 * kib), device::scan_form::bulk);
    EXPECT_EQ(form_of(longest - 1, 90, 227 * kib), device::scan_form::registers);
    EXPECT_EQ(form_of(longest, 80, 227 * kib), device::scan_form::registers); // older code on 9.0
    EXPECT_EQ(form_of(longest, 80, 163 * kib), device::scan_form::registers);
    EXPECT_EQ(form_of(longest, 120, 99 * kib), device::scan_form::registers);
}

TEST(BulkScan, KeepsIntervalsInOrder)
{
    expect_right(1200 / fewer,
                 [](const schedule& how) { return bulk_trial<interval_algebra>(how, 0, before_all); });
}

TEST(BulkScan, GoesThroughTheWrapOfTheEpoch)
{
    expect_right(500 / fewer, [](const schedule& how) {
        const auto before = static_cast<std::uint32_t>(1 + how.seed % 3);
        return bulk_trial<interval_algebra>(how, last_epoch - before, before_all);
    });
}

TEST(BulkScan, WorksInPlace)
{
    using sum = algebra<operator_id::sum, std::int32_t, std::int64_t, std::int32_t>;
    expect_right(600 / fewer, [](const schedule& how) { return bulk_trial<sum>(how, 7, 1000); });
}

template <class In, class Acc, class Out>
void expect_right_sums(int count, const Out& init)
{
    using sum = algebra<operator_id::sum, In, Acc, Out>;
    expect_right(count / fewer, [&](const schedule& how) { return bulk_trial<sum>(how, 0, init); });
}

TEST(BulkScan, SumsBytesByWords)
{
    static_assert(
        device::summed_by_words<std::int8_t, std::int32_t, bulk_form<bytes_sum>::row.lane_elements>);
    expect_right_sums<std::int8_t, std::int32_t, std::int8_t>(400, -100);
    expect_right_sums<std::uint8_t, std::uint32_t, std::uint8_t>(400, 200);
    expect_right_sums<std::int8_t, std::int32_t, std::int32_t>(400, -70'000);
    expect_right_sums<std::uint8_t, std::uint32_t, std::uint32_t>(400, 4'000'000'000U);
}

TEST(BulkScan, WidensElements)
{
    expect_right_sums<std::int8_t, std::int64_t, std::int64_t>(300, std::int64_t{-1} << 40);
    expect_right_sums<std::int16_t, std::int32_t, std::int32_t>(300, 1'000'000);
    expect_right_sums<float, double, double>(300, 0x1p40);
}

TEST(BulkScan, ComposesMapsInOrder)
{
    using map = affine_map<std::int64_t>;
    using affine = algebra<operator_id::affine, map, map, map>;
    expect_right(500 / fewer, [](const schedule& how) { return bulk_trial<affine>(how, 0, map{3, 1}); });
}

} // namespace
} // namespace rankfold::simt
