// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The choice between exact and plain sums: what is the default, what is refused, and ranks that differ.
#include "rankfold/rankfold.hpp"
#include "support/backend_data.hpp"
#include "support/distributed.hpp"
#include "support/expect.hpp"

namespace rankfold::test {
namespace {

class Accuracy : public testing::Test {
protected:
    [[nodiscard]] bool can_be_exact() const { return comm_.backend() == backend::host; }

    communicator comm_{MPI_COMM_WORLD, {.timeout_s = 30.0}};
    /// A plain sum of these loses the ones, in whatever pieces.
    std::vector<double> values_ =
        comm_.rank() == 0 ? std::vector<double>{1, 1e100, 1, -1e100} : std::vector<double>{};
};

TEST_F(Accuracy, IsExactUnlessPlainIsAskedFor)
{
    const double by_default = all_reduce<double>(comm_, sum, std::span(values_));
    const double plain = all_reduce<double>(comm_, sum, std::span(values_), {.accuracy = accuracy::plain});
    const auto plain_at_root =
        reduce<double>(comm_, sum, std::span(values_), 0, {.accuracy = accuracy::plain});

    EXPECT_EQ(by_default, can_be_exact() ? 2.0 : 0.0);
    EXPECT_EQ(plain, 0.0);
    EXPECT_EQ(plain_at_root.value_or(0.0), 0.0);
}

TEST_F(Accuracy, IsAnOptionOfPlans)
{
    reduce_plan<double> plain(comm_, sum, {.accuracy = accuracy::plain});
    const array<double> values = to_backend(comm_, values_);
    array<double> result(comm_, 1);

    plain.execute(values.data(), values.size(), result.data(), on_stream(comm_));

    EXPECT_EQ(first_of(comm_, result), 0.0);
}

TEST_F(Accuracy, IsAnOptionOfExscans)
{
    RANKFOLD_NEEDS_RANKS(3);
    const std::array<double, 3> each{1e100, 1, -1e100};
    const double mine = comm_.rank() < 3 ? each[static_cast<std::size_t>(comm_.rank())] : 0.0;
    double by_default = 0;
    double plain = 0;

    (void)exscan<double>(comm_, sum, mine, {.total = &by_default});
    (void)exscan<double>(comm_, sum, mine, {.total = &plain, .accuracy = accuracy::plain});

    EXPECT_EQ(by_default, can_be_exact() ? 1.0 : 0.0);
    EXPECT_EQ(plain, 0.0);
}

TEST_F(Accuracy, IsRefusedWhereThereIsNoChoice)
{
    for (const accuracy wanted : {accuracy::exact, accuracy::plain}) {
        const std::string name = wanted == accuracy::exact ? "accuracy is exact" : "accuracy is plain";
        EXPECT_TRUE(fails_with(errc::usage, {"max of float64", "floating"},
                               [&] { const reduce_plan<double> plan(comm_, max, {.accuracy = wanted}); }));
        const auto failure = error_of([&] {
            const std::vector<std::int32_t> ones{1};
            (void)all_reduce<std::int64_t>(comm_, sum, std::span(ones), {.accuracy = wanted});
        });
        ASSERT_TRUE(failure);
        EXPECT_NE(std::string(failure->what()).find(name), std::string::npos) << failure->what();
        EXPECT_NE(std::string(failure->what()).find("sum of int32"), std::string::npos) << failure->what();
    }
}

TEST_F(Accuracy, ThatTheBackendLacksIsRefusedByName)
{
    const auto make = [&] { const reduce_plan<double> plan(comm_, sum, {.accuracy = accuracy::exact}); };
    if (can_be_exact()) {
        EXPECT_FALSE(error_of(make));
    } else {
        EXPECT_TRUE(fails_with(errc::usage, {"accuracy is exact", "cuda"}, make));
    }
}

TEST_F(Accuracy, ThatDiffersBetweenRanksIsAMismatch)
{
    RANKFOLD_NEEDS_RANKS(2);
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(!can_be_exact(), "the backend has one accuracy");
    const std::optional<accuracy> wanted = comm_.rank() == 1 ? std::optional(accuracy::plain) : std::nullopt;

    EXPECT_TRUE(fails_with(errc::mismatch, {"rank 1", "sum float64 -> float64 exact"},
                           [&] { const reduce_plan<double> plan(comm_, sum, {.accuracy = wanted}); }));
    EXPECT_TRUE(fails_with(errc::mismatch, {"rank 1", "sum float64 -> float64 exact"}, [&] {
        communicator again(MPI_COMM_WORLD, {.timeout_s = 30.0});
        (void)all_reduce<double>(again, sum, std::span(values_), {.accuracy = wanted});
    }));
}

} // namespace
} // namespace rankfold::test
