// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankfold/exscan.hpp"
#include "support/backend_data.hpp"
#include "support/expect.hpp"
#include "support/matrix.hpp"

namespace rankfold::test {
namespace {

template <class Case>
class Exscan : public testing::Test {
protected:
    using input = typename Case::input;
    using output = typename Case::output;

    [[nodiscard]] prefix_folds<output> reference(std::optional<output> init = {}) const
    {
        return reference_of<output>(values_, Case::reference, init);
    }

    communicator comm_{MPI_COMM_WORLD};
    std::size_t rank_ = static_cast<std::size_t>(world_rank());
    std::vector<input> values_ = global_array<input>(world_size()); ///< one of each rank
};

using cases = testing::Types<sum_of_int64, sum_of_int32_in_int64, sum_of_float_in_double, max_of_float,
                             composition_of_maps>;
TYPED_TEST_SUITE(Exscan, cases);

TYPED_TEST(Exscan, FoldsTheLowerRanksAndGivesRankZeroTheIdentity)
{
    using out = typename TypeParam::output;

    const out prefix = exscan<out>(this->comm_, TypeParam::op, this->values_[this->rank_]);

    EXPECT_TRUE(same_bits(prefix, this->reference().exclusive[this->rank_])) << as_text(prefix);
}

TYPED_TEST(Exscan, InitEntersOnceAndTheTotalFoldsEveryRank)
{
    using out = typename TypeParam::output;
    const out init = TypeParam::init();
    out total{};

    const out prefix = exscan<out>(this->comm_, TypeParam::op, this->values_[this->rank_],
                                   exscan_options<out>{.init = init, .total = &total});

    const auto expected = this->reference(init);
    EXPECT_TRUE(same_bits(prefix, expected.exclusive[this->rank_])) << as_text(prefix);
    EXPECT_TRUE(same_bits(total, expected.total(world_size()))) << as_text(total);
}

TYPED_TEST(Exscan, PlansFoldSeveralValuesIndependently)
{
    using in = typename TypeParam::input;
    using out = typename TypeParam::output;
    constexpr int values = 5;
    const std::vector<in> global = global_array<in>(values * world_size());
    const auto value_of = [&](std::size_t rank, int i) {
        return global[rank * values + static_cast<std::size_t>(i)];
    };
    std::vector<in> mine;
    for (int i = 0; i < values; ++i) {
        mine.push_back(value_of(this->rank_, i));
    }
    exscan_plan<in, out> plan(this->comm_, TypeParam::op, {.values = values});
    const array<in> device_values = to_backend(this->comm_, mine);
    array<out> prefixes(this->comm_, values);
    array<out> totals(this->comm_, values);

    plan.execute(device_values.data(), prefixes.data(), totals.data(), on_stream(this->comm_));

    const std::vector<out> actual_prefixes = to_host(this->comm_, prefixes);
    const std::vector<out> actual_totals = to_host(this->comm_, totals);
    for (int i = 0; i < values; ++i) {
        std::vector<in> column;
        for (int r = 0; r < world_size(); ++r) {
            column.push_back(value_of(static_cast<std::size_t>(r), i));
        }
        const auto expected = reference_of<out>(column, TypeParam::reference);
        const auto at = static_cast<std::size_t>(i);
        EXPECT_TRUE(same_bits(actual_prefixes[at], expected.exclusive[this->rank_])) << "value " << i;
        EXPECT_TRUE(same_bits(actual_totals[at], expected.total(world_size()))) << "value " << i;
    }
}

// BC-43: rank 0 of MPI_Exscan is undefined; here nothing of the old memory shows through.
TEST(ExscanEdge, NothingOfTheResultMemoryShowsThrough)
{
    communicator comm(MPI_COMM_WORLD);
    const std::int64_t value = 4 + world_rank();
    array<std::int64_t> in = to_backend(comm, std::vector<std::int64_t>{value});
    array<std::int64_t> prefix = to_backend(comm, std::vector<std::int64_t>{777});
    exscan_plan<std::int64_t> sums(comm, sum);
    exscan_plan<std::int64_t> largest(comm, max);
    exscan_plan<std::int64_t> from_hundred(comm, sum, {.init = 100});
    const std::int64_t r = world_rank();
    const std::int64_t lower_sum = r * 4 + r * (r - 1) / 2;

    sums.execute(in.data(), prefix.data(), on_stream(comm));
    const std::int64_t sum_prefix = first_of(comm, prefix);
    largest.execute(in.data(), prefix.data(), on_stream(comm));
    const std::int64_t max_prefix = first_of(comm, prefix);
    from_hundred.execute(in.data(), prefix.data(), on_stream(comm));
    const std::int64_t init_prefix = first_of(comm, prefix);

    EXPECT_EQ(sum_prefix, lower_sum);
    EXPECT_EQ(max_prefix, r == 0 ? std::numeric_limits<std::int64_t>::lowest() : value - 1);
    EXPECT_EQ(init_prefix, 100 + lower_sum);
}

// BC-21: the own value in place.
TEST(ExscanEdge, ValuesAndPrefixesMayShareMemory)
{
    communicator comm(MPI_COMM_WORLD);
    array<std::int64_t> data = to_backend(comm, std::vector<std::int64_t>{7 + 4 * world_rank()});
    exscan_plan<std::int64_t> plan(comm, sum);
    const std::int64_t r = world_rank();

    plan.execute(data.data(), data.data(), on_stream(comm));

    EXPECT_EQ(first_of(comm, data), 7 * r + 2 * r * (r - 1));
}

} // namespace
} // namespace rankfold::test
