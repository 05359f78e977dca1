// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Empty arrays, infinities, zeros and NaN: what the one-shot functions make of them on any number of ranks.
#include "rankfold/rankfold.hpp"
#include "support/compiled.hpp"
#include "support/distributed.hpp"
#include "support/distributions.hpp"
#include "support/expect.hpp"

#include <cmath>
#include <limits>

namespace rankfold::test {
namespace {

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();

class EdgeValues : public testing::Test {
protected:
    /// The piece of this rank; ranks that are not named hold nothing.
    template <class T>
    static std::vector<T> pieces(const std::vector<std::vector<T>>& by_rank)
    {
        const auto rank = static_cast<std::size_t>(world_rank());
        return rank < by_rank.size() ? by_rank[rank] : std::vector<T>{};
    }
    template <class T, operator_id Id>
    T reduced(builtin_operator<Id> op, const std::vector<T>& mine, std::optional<T> init = {}) const
    {
        return all_reduce<T>(comm_, op, std::span(mine), reduce_options<T>{.init = init});
    }

    communicator comm_{MPI_COMM_WORLD};
};

// BC-01
TEST_F(EdgeValues, AnEmptyArrayGivesTheIdentity)
{
    const std::vector<double> none;
    const std::vector<std::int32_t> no_integers;

    EXPECT_TRUE(same_bits(reduced(sum, none), 0.0));
    EXPECT_EQ(reduced(min, none), infinity<double>);
    EXPECT_EQ(reduced(max, none), -infinity<double>);
    EXPECT_EQ(reduced(min, no_integers), 2147483647);
    EXPECT_EQ(reduced(max, no_integers), -2147483648LL);
    EXPECT_EQ(min_loc(comm_, std::span(none)).index, -1);
    EXPECT_EQ(max_loc(comm_, std::span(no_integers)).index, -1);
}

// BC-01
TEST_F(EdgeValues, AnEmptyArrayGivesTheIdentityOfRarerOperators)
{
    RANKFOLD_NEEDS_COMPILED(comm_, prod, double, double);
    RANKFOLD_NEEDS_COMPILED(comm_, prod, std::int64_t, std::int64_t);
    RANKFOLD_NEEDS_COMPILED(comm_, bit_and, std::int32_t, std::int32_t);
    RANKFOLD_NEEDS_COMPILED(comm_, logical_and, std::int32_t, std::int32_t);
    RANKFOLD_NEEDS_COMPILED(comm_, logical_or, std::int32_t, std::int32_t);
    const std::vector<std::int32_t> no_integers;

    EXPECT_EQ(reduced(prod, std::vector<double>{}), 1.0);
    EXPECT_EQ(reduced<std::int64_t>(prod, {}, 7), 7);
    EXPECT_EQ(reduced(bit_and, no_integers), -1);
    EXPECT_EQ(reduced(logical_and, no_integers), 1);
    EXPECT_EQ(reduced(logical_or, no_integers), 0);
}

// BC-01
TEST_F(EdgeValues, AnEmptyArrayGivesInitWhereThereIsOne)
{
    const std::vector<std::int64_t> none;

    EXPECT_EQ(reduced<std::int64_t>(sum, none, 7), 7);
    EXPECT_EQ(reduced<std::int64_t>(min, none, 7), 7);
}

// BC-01
TEST_F(EdgeValues, ScansOfAnEmptyArraySucceedOnNullData)
{
    std::int64_t total = 501501;

    inclusive_scan(comm_, sum, std::span<std::int64_t>(), std::span<std::int64_t>(), {.total = &total});

    EXPECT_EQ(total, 0);
}

// BC-02
TEST_F(EdgeValues, PiecesOnSomeRanksOnly)
{
    RANKFOLD_NEEDS_RANKS(4);
    const auto mine = pieces<std::int32_t>({{}, {5, -2, 7}, {}, {4, 1}});
    std::vector<std::int32_t> upto(mine.size());
    std::vector<std::int32_t> before(mine.size());
    const auto one_item = pieces<float>({{}, {}, {-5.0F}, {}});

    inclusive_scan(comm_, sum, std::span(mine), std::span(upto));
    exclusive_scan(comm_, sum, std::span(mine), std::span(before), {.init = 10});

    EXPECT_EQ(upto, pieces<std::int32_t>({{}, {5, 3, 10}, {}, {14, 15}}));
    EXPECT_EQ(before, pieces<std::int32_t>({{}, {10, 15, 13}, {}, {20, 24}}));
    EXPECT_EQ(reduced<std::int32_t>(sum, mine, 10), 25);
    EXPECT_EQ(reduced(max, mine), 7);
    EXPECT_EQ(reduced(min, mine), -2);
    EXPECT_EQ(reduced(max, one_item), -5.0F);
}

// BC-03
TEST_F(EdgeValues, FewerItemsThanRanks)
{
    const int ranks = world_size();
    for (std::int64_t items = 0; items <= 2 * ranks + 1; ++items) {
        const std::int64_t block = (items + ranks - 1) / ranks;
        std::vector<std::int64_t> counts;
        for (int r = 0; r < ranks; ++r) {
            counts.push_back(std::clamp<std::int64_t>(items - r * block, 0, block));
        }
        const layout where = layout_of(counts, world_rank());
        const std::vector<std::int32_t> ones(static_cast<std::size_t>(where.count), 1);
        std::vector<std::int32_t> upto(ones.size());
        std::vector<std::int32_t> before(ones.size());

        inclusive_scan(comm_, sum, std::span(ones), std::span(upto));
        exclusive_scan(comm_, sum, std::span(ones), std::span(before));

        for (std::size_t i = 0; i < ones.size(); ++i) {
            EXPECT_EQ(upto[i], where.offset + static_cast<std::int64_t>(i) + 1) << items << " items";
            EXPECT_EQ(before[i], where.offset + static_cast<std::int64_t>(i)) << items << " items";
        }
        EXPECT_EQ(reduced(sum, ones), items);
    }
}

// BC-22
template <class T>
class Infinities : public testing::Test {
};
using floating_types = testing::Types<float, double, float16, bfloat16>;
TYPED_TEST_SUITE(Infinities, floating_types);

TYPED_TEST(Infinities, AreTheExtremesOfAnArrayOfNothingElse)
{
    communicator comm(MPI_COMM_WORLD);
    RANKFOLD_NEEDS_COMPILED(comm, min, TypeParam, TypeParam);
    RANKFOLD_NEEDS_COMPILED(comm, max, TypeParam, TypeParam);
    const std::size_t count = world_rank() % 2 == 1 ? 0 : 10;
    const std::vector<TypeParam> high(count, static_cast<TypeParam>(infinity<float>));
    const std::vector<TypeParam> low(count, static_cast<TypeParam>(-infinity<float>));

    const TypeParam smallest = all_reduce<TypeParam>(comm, min, std::span(high));
    const TypeParam largest = all_reduce<TypeParam>(comm, max, std::span(low));

    EXPECT_EQ(static_cast<float>(smallest), infinity<float>);
    EXPECT_EQ(static_cast<float>(largest), -infinity<float>);
}

// BC-24
TEST_F(EdgeValues, ZeroFirstKeepsAProductInDoubleAtZero)
{
    RANKFOLD_NEEDS_COMPILED(comm_, prod, float, double);
    std::vector<float> global;
    for (int i = 0; i < 100; ++i) {
        global.push_back(static_cast<float>(i) * 0.5F);
    }
    const layout where = layout_of(distribution::even, 100 / world_size(), world_rank(), world_size());
    const auto mine = piece_of(global, where);
    std::vector<double> out(mine.size(), 1.0);

    inclusive_scan(comm_, prod, std::span(mine), std::span(out));

    EXPECT_TRUE(same_elements(out, std::vector<double>(mine.size(), 0.0)));
}

// BC-25
TEST_F(EdgeValues, MinusZeroIsBelowPlusZeroInEitherOrder)
{
    const bool first = world_rank() == 0;
    const auto plus_first = first ? std::vector<float>{0.0F} : std::vector<float>{-0.0F};
    const auto minus_first = first ? std::vector<float>{-0.0F} : std::vector<float>{0.0F};
    const std::vector<float> plus_minus{0.0F, -0.0F};
    const std::vector<float> minus_plus{-0.0F, 0.0F};

    EXPECT_TRUE(same_bits(reduced(min, plus_minus), -0.0F) && same_bits(reduced(max, plus_minus), 0.0F));
    EXPECT_TRUE(same_bits(reduced(min, minus_plus), -0.0F) && same_bits(reduced(max, minus_plus), 0.0F));
    EXPECT_TRUE(world_size() == 1 || same_bits(reduced(min, plus_first), -0.0F));
    EXPECT_TRUE(world_size() == 1 || same_bits(reduced(min, minus_first), -0.0F));
    EXPECT_TRUE(world_size() == 1 || same_bits(reduced(max, plus_first), 0.0F));
    EXPECT_TRUE(world_size() == 1 || same_bits(reduced(max, minus_first), 0.0F));
}

// BC-25
TEST_F(EdgeValues, SumsOfMinusZeroStayMinusZero)
{
    const std::vector<float> mine(world_rank() % 2 == 0 ? 4 : 0, -0.0F);
    std::vector<float> upto(mine.size());

    inclusive_scan(comm_, sum, std::span(mine), std::span(upto));

    EXPECT_TRUE(same_bits(reduced(sum, mine), -0.0F));
    EXPECT_TRUE(same_elements(upto, mine));
}

TEST_F(EdgeValues, NanPropagatesThroughMinAndMaxAsTheQuietOne)
{
    std::vector<double> mine(100, 1.0);
    if (world_rank() == world_size() - 1) {
        mine[37] = -std::numeric_limits<double>::signaling_NaN();
    }
    const double quiet = std::numeric_limits<double>::quiet_NaN();

    EXPECT_TRUE(same_bits(reduced(min, mine), quiet));
    EXPECT_TRUE(same_bits(reduced(max, mine), quiet));
}

} // namespace
} // namespace rankfold::test
