// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Algebras of the user's own.
#include "core/user_algebras.hpp"
#include "rankfold/rankfold.hpp"
#include "support/backend_data.hpp"
#include "support/expect.hpp"
#include "support/matrix.hpp"

namespace rankfold::test {
namespace {

class Interval : public testing::Test {
protected:
    std::vector<std::int64_t> indices(const layout& where) const
    {
        std::vector<std::int64_t> result(static_cast<std::size_t>(where.count));
        std::iota(result.begin(), result.end(), where.offset);
        return result;
    }
    static constexpr interval blank{0, 0};

    communicator comm_{MPI_COMM_WORLD};
    operation joined_ = interval_operation();
};

testing::AssertionResult prefixes(const std::vector<interval>& actual, std::int64_t begin,
                                  std::int64_t first_end)
{
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const std::int64_t end = first_end + static_cast<std::int64_t>(i);
        if (actual[i].poisoned || actual[i].begin != begin || actual[i].end != end) {
            return testing::AssertionFailure()
                   << "element " << i << " is [" << actual[i].begin << ", " << actual[i].end << ") "
                   << (actual[i].poisoned ? "poisoned" : "") << ", expected [" << begin << ", " << end << ")";
        }
    }
    return testing::AssertionSuccess();
}

TEST_F(Interval, InclusiveScanJoinsNeighboursOnly)
{
    scan_plan<std::int64_t, interval> plan(comm_, inclusive, joined_,
                                           {.max_count = largest_piece<std::int64_t>});

    for_every_layout<std::int64_t>([&](const layout& where) {
        const array<std::int64_t> in = to_backend(comm_, indices(where));
        array<interval> out(comm_, where.count);
        plan.execute(in.data(), out.data(), where.count, on_stream(comm_));

        EXPECT_TRUE(prefixes(to_host(comm_, out, blank), 0, where.offset + 1));
    });
}

TEST_F(Interval, ExclusiveScanStartsWithInit)
{
    scan_plan<std::int64_t, interval> plan(
        comm_, exclusive, joined_, {.max_count = largest_piece<std::int64_t>, .init = interval(-5, 0)});

    for_every_layout<std::int64_t>([&](const layout& where) {
        const array<std::int64_t> in = to_backend(comm_, indices(where));
        array<interval> out(comm_, where.count);
        array<interval> total(comm_, 1);
        plan.execute(in.data(), out.data(), where.count, total.data(), on_stream(comm_));

        EXPECT_TRUE(prefixes(to_host(comm_, out, blank), -5, where.offset));
        EXPECT_TRUE(prefixes(to_host(comm_, total, blank), -5, where.total));
    });
}

TEST_F(Interval, ReductionsFoldRanksInOrder)
{
    reduce_plan<std::int64_t, interval> plan(comm_, joined_, {.init = interval(-5, 0)});

    for_every_layout<std::int64_t>([&](const layout& where) {
        const array<std::int64_t> in = to_backend(comm_, indices(where));
        array<interval> result(comm_, 1);
        plan.execute(in.data(), where.count, result.data(), on_stream(comm_));

        EXPECT_TRUE(prefixes(to_host(comm_, result, blank), -5, where.total));
    });
}

TEST_F(Interval, ExscanFoldsTheLowerRanks)
{
    exscan_plan<std::int64_t, interval> plan(comm_, joined_, {.init = interval(-5, 0)});
    const array<std::int64_t> value = to_backend(comm_, std::vector<std::int64_t>{world_rank()});
    array<interval> prefix(comm_, 1);

    plan.execute(value.data(), prefix.data(), on_stream(comm_));

    EXPECT_TRUE(prefixes(to_host(comm_, prefix, blank), -5, world_rank()));
}

// BC-01, contract 3 and 4: nothing to say what an empty array or the first prefix is.
TEST_F(Interval, WithoutIdentityAndInitAnEmptyArrayIsAnError)
{
    reduce_plan<std::int64_t, interval> plan(comm_, joined_);
    array<interval> result(comm_, 1);

    EXPECT_TRUE(fails_with(errc::usage, {"identity"}, [&] {
        plan.execute(nullptr, 0, result.data(), on_stream(comm_));
        finish(comm_);
    }));
}

TEST_F(Interval, WithoutIdentityAndInitExclusivePlansAreRefused)
{
    EXPECT_TRUE(fails_with(errc::usage, {"identity", "init"}, [&] {
        scan_plan<std::int64_t, interval> plan(comm_, exclusive, joined_, {.max_count = 10});
    }));
    EXPECT_TRUE(fails_with(errc::usage, {"identity", "init"},
                           [&] { exscan_plan<std::int64_t, interval> plan(comm_, joined_); }));
}

// BC-42: a type whose default value must never be used.
TEST(UserType, WithPoisonousDefaultIsScannedWithoutIt)
{
    communicator comm(MPI_COMM_WORLD);
    const operation add = defaulted_sum_operation();
    scan_plan<defaulted_to_nan> scan(comm, inclusive, add, {.max_count = 1000});
    reduce_plan<defaulted_to_nan> reduction(comm, add);
    array<defaulted_to_nan> data = to_backend(comm, std::vector<defaulted_to_nan>(1000, {1.0}));
    array<defaulted_to_nan> total(comm, 1);

    reduction.execute(data.data(), 1000, total.data(), on_stream(comm));
    scan.execute(data.data(), data.data(), 1000, on_stream(comm));

    EXPECT_EQ(first_of(comm, total).value, 1000.0 * world_size());
    const auto scanned = to_host(comm, data);
    for (std::size_t i = 0; i < scanned.size(); ++i) {
        ASSERT_EQ(scanned[i].value, 1000.0 * world_rank() + static_cast<double>(i) + 1.0);
    }
}

TEST(UserType, WithAStateAndMembersNamedAsInASearchIsItsOwn)
{
    constexpr double target = 2.25;
    constexpr double far = 1e9;
    communicator comm(MPI_COMM_WORLD);
    const operation find = nearest_operation(target);
    reduce_plan<double> reduction(comm, find, {.init = far});
    scan_plan<double> scan(comm, inclusive, find, {.max_count = largest_piece<double>});

    for_every_layout<double>([&](const layout& where) {
        std::vector<double> numbers(static_cast<std::size_t>(where.count));
        std::iota(numbers.begin(), numbers.end(), static_cast<double>(where.offset));
        const array<double> in = to_backend(comm, numbers);
        array<double> upto(comm, where.count);
        array<double> nearest(comm, 1);
        reduction.execute(in.data(), where.count, nearest.data(), on_stream(comm));
        scan.execute(in.data(), upto.data(), where.count, on_stream(comm));

        EXPECT_EQ(first_of(comm, nearest),
                  where.total > 0 ? static_cast<double>(std::min<std::int64_t>(where.total - 1, 2)) : far);
        const auto scanned = to_host(comm, upto);
        for (std::size_t i = 0; i < scanned.size(); ++i) {
            ASSERT_EQ(scanned[i], std::min(numbers[i], 2.0)) << i;
        }
    });
}

// BC-52: sizes that are no multiple of a word.
TEST(UserType, OfSixAndOfEighteenBytesIsSummed)
{
    communicator comm(MPI_COMM_WORLD);
    const operation add3 = shorts_sum_operation<3>();
    const operation add9 = shorts_sum_operation<9>();
    reduce_plan<shorts<3>> plan3(comm, add3);
    scan_plan<shorts<9>> plan9(comm, inclusive, add9, {.max_count = 1000});
    const array<shorts<3>> three = to_backend(comm, std::vector<shorts<3>>(1000, {{1, 2, 3}}));
    array<shorts<9>> nine = to_backend(comm, std::vector<shorts<9>>(1000, {{1, 1, 1, 1, 1, 1, 1, 1, 1}}));
    array<shorts<3>> total(comm, 1);

    plan3.execute(three.data(), 1000, total.data(), on_stream(comm));
    plan9.execute(nine.data(), nine.data(), 1000, on_stream(comm));

    const auto ranks = static_cast<std::int16_t>(world_size());
    const shorts<3> expected{{static_cast<std::int16_t>(1000 * ranks),
                              static_cast<std::int16_t>(2000 * ranks),
                              static_cast<std::int16_t>(3000 * ranks)}};
    EXPECT_EQ(first_of(comm, total), expected);
    for (const std::int16_t last : to_host(comm, nine).back().v) {
        EXPECT_EQ(last, 1000 * (world_rank() + 1));
    }
}

// BC-39: digits joined from left to right, on every root.
TEST(UserType, DigitsAreJoinedInRankOrderWhateverTheRoot)
{
    communicator comm(MPI_COMM_WORLD);
    const operation join = decimal_operation();
    const array<std::int64_t> digit = to_backend(comm, std::vector<std::int64_t>{world_rank() + 1});
    std::int64_t expected = 0;
    for (int r = 0; r < world_size(); ++r) {
        expected = 10 * expected + r + 1;
    }

    for (int root = 0; root < world_size(); ++root) {
        reduce_plan<std::int64_t, decimal> plan(comm, join, {.root = root});
        array<decimal> result(comm, 1);
        plan.execute(digit.data(), 1, result.data(), on_stream(comm));

        EXPECT_EQ(first_of(comm, result).value, world_rank() == root ? expected : 0);
    }
}

// BC-23: log(e^a + e^b), where -infinity twice must not become NaN.
TEST(UserType, LogAddExpKeepsMinusInfinity)
{
    communicator comm(MPI_COMM_WORLD);
    const operation join = log_add_exp_operation();
    const double low = -std::numeric_limits<double>::infinity();
    const std::vector<double> global{2, low, low, 1, low, low, 3};
    const std::vector<double> expected{2, 2, 2, 2.3132617, 2.3132617, 2.3132617, 3.4076060};
    const layout where = layout_of(
        [&] {
            std::vector<std::int64_t> counts(static_cast<std::size_t>(world_size()), 0);
            for (std::size_t i = 0; i < global.size(); ++i) {
                ++counts[i % counts.size()];
            }
            return counts;
        }(),
        world_rank());
    scan_plan<double> plan(comm, inclusive, join, {.max_count = 7});
    array<double> data = to_backend(comm, piece_of(global, where));

    plan.execute(data.data(), data.data(), where.count, on_stream(comm));

    const auto scanned = to_host(comm, data);
    for (std::size_t i = 0; i < scanned.size(); ++i) {
        EXPECT_NEAR(scanned[i], expected[static_cast<std::size_t>(where.offset) + i], 1e-6);
    }
}

} // namespace
} // namespace rankfold::test
