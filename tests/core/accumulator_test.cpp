// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The result type chooses the accumulator: cases that go wrong where it does not.
#include "rankfold/rankfold.hpp"
#include "support/compiled.hpp"
#include "support/distributed.hpp"
#include "support/distributions.hpp"
#include "support/expect.hpp"

#include <cmath>

namespace rankfold::test {
namespace {

class Accumulator : public testing::Test {
protected:
    communicator comm_{MPI_COMM_WORLD};
};

// BC-27
TEST_F(Accumulator, Int8IsScannedIntoInt32WithoutWrapping)
{
    const std::vector<std::int8_t> mine{100, 28, 1};
    std::vector<std::int32_t> out(3);

    exclusive_scan(comm_, sum, std::span(mine), std::span(out));

    const std::int32_t carry = 129 * world_rank();
    EXPECT_EQ(out, (std::vector<std::int32_t>{carry, carry + 100, carry + 128}));
}

// BC-28
TEST_F(Accumulator, Uint8IsScannedIntoUint64PastItsRange)
{
    const std::vector<std::uint8_t> ones(260, 1);
    std::vector<std::uint64_t> out(ones.size());

    inclusive_scan(comm_, sum, std::span(ones), std::span(out));

    for (std::size_t i = 0; i < out.size(); ++i) {
        EXPECT_EQ(out[i], 260U * static_cast<unsigned>(world_rank()) + i + 1);
    }
}

// BC-29: the result type, not the type of the literal, is that of init.
TEST_F(Accumulator, ANarrowLiteralAsInitDoesNotNarrowTheSum)
{
    const std::vector<std::int64_t> values{9223372036854775806, 1, 0};
    const std::vector<std::int64_t> mine = world_rank() == 0 ? values : std::vector<std::int64_t>{};
    std::vector<std::int64_t> out(mine.size());

    exclusive_scan(comm_, sum, std::span(mine), std::span(out), {.init = 0});

    EXPECT_TRUE(world_rank() != 0 ||
                out == (std::vector<std::int64_t>{0, 9223372036854775806, 9223372036854775807}));
}

// BC-30
TEST_F(Accumulator, PartialsOfNarrowTypesTravelWide)
{
    const std::vector<std::int8_t> bytes{static_cast<std::int8_t>(world_rank() == 0 ? 120 : 100)};
    const std::vector<std::int32_t> words{2147483647};

    const auto byte_sum = all_reduce<std::int64_t>(comm_, sum, std::span(bytes));
    const auto word_sum = all_reduce<std::int64_t>(comm_, sum, std::span(words));

    EXPECT_EQ(byte_sum, 120 + 100 * (world_size() - 1));
    EXPECT_EQ(word_sum, 2147483647LL * world_size());
}

// BC-31
TEST_F(Accumulator, AnyNonZeroByteCountsAsTrue)
{
    RANKFOLD_NEEDS_COMPILED(comm_, logical_and, std::uint8_t, std::uint8_t);
    RANKFOLD_NEEDS_COMPILED(comm_, logical_or, std::uint8_t, std::uint8_t);
    std::vector<std::uint8_t> flags(300, 1);
    flags[17] = 2;
    std::vector<std::uint8_t> one_false = flags;
    one_false[299] = world_rank() == world_size() - 1 ? 0 : 1;

    EXPECT_EQ(all_reduce<std::uint8_t>(comm_, logical_and, std::span(flags)), 1);
    EXPECT_EQ(all_reduce<std::uint8_t>(comm_, logical_or, std::span(flags)), 1);
    EXPECT_EQ(all_reduce<std::uint8_t>(comm_, logical_and, std::span(one_false)), 0);
    EXPECT_EQ(all_reduce<std::uint64_t>(comm_, sum, std::span(one_false)),
              301U * static_cast<unsigned>(world_size()) - 1);
}

// BC-32
TEST_F(Accumulator, UnsignedExtremesSeeTheTopBit)
{
    RANKFOLD_NEEDS_COMPILED(comm_, min, std::uint64_t, std::uint64_t);
    RANKFOLD_NEEDS_COMPILED(comm_, max, std::uint64_t, std::uint64_t);
    const std::uint64_t top = 9223372036854775808U;
    std::vector<std::uint64_t> mine(1000, world_rank() == 0 ? top : 5);
    mine[500] = world_rank() == world_size() - 1 ? 1 : mine[500];

    EXPECT_EQ(all_reduce<std::uint64_t>(comm_, min, std::span(mine)), 1U);
    EXPECT_EQ(all_reduce<std::uint64_t>(comm_, max, std::span(mine)), top);
}

TEST_F(Accumulator, SignedOverflowWraps)
{
    const std::vector<std::int32_t> mine{world_rank() == 0 ? 2147483647 : 1};

    const auto total = all_reduce<std::int32_t>(comm_, sum, std::span(mine));

    EXPECT_EQ(total, static_cast<std::int32_t>(2147483647U + static_cast<unsigned>(world_size() - 1)));
}

// BC-33, BC-35
TEST_F(Accumulator, SixteenBitFloatsAreSummedInFloat)
{
    const std::vector<float16> halves(4096, float16(1.0F));
    const std::vector<bfloat16> bfloats(1000, bfloat16(1.0F));
    const auto ranks = static_cast<float>(world_size());

    const auto half_sum = all_reduce<float>(comm_, sum, std::span(halves));
    const auto bfloat_sum = all_reduce<float>(comm_, sum, std::span(bfloats));

    EXPECT_EQ(half_sum, 4096.0F * ranks);
    EXPECT_EQ(bfloat_sum, 1000.0F * ranks);
}

// BC-33, BC-35
TEST_F(Accumulator, SumsOfSixteenBitFloatsAreRoundedOnce)
{
    RANKFOLD_NEEDS_COMPILED(comm_, sum, float16, float16);
    RANKFOLD_NEEDS_COMPILED(comm_, sum, bfloat16, bfloat16);
    const std::vector<bfloat16> bfloats(1000, bfloat16(1.0F));
    const std::vector<float16> many(65536, float16(1.0F));
    const auto ranks = static_cast<float>(world_size());

    const auto past_the_range = all_reduce<float16>(comm_, sum, std::span(many));
    const auto rounded_once = all_reduce<bfloat16>(comm_, sum, std::span(bfloats));

    EXPECT_EQ(static_cast<float>(past_the_range), std::numeric_limits<float>::infinity());
    EXPECT_EQ(static_cast<float>(rounded_once), static_cast<float>(bfloat16(1000.0F * ranks)));
}

// BC-34, with the count split over the ranks. More of them: core.large.
TEST_F(Accumulator, FloatOnesPastTwoToThe24DoNotStall)
{
    const layout where = split_evenly(40000000, world_rank(), world_size());
    const std::vector<float> ones(static_cast<std::size_t>(where.count), 1.0F);
    std::vector<float> prefixes(ones.size());

    const float sum_of_ones = all_reduce<float>(comm_, sum, std::span(ones));
    inclusive_scan(comm_, sum, std::span(ones), std::span(prefixes));

    EXPECT_NEAR(sum_of_ones, 4e7F, 8.0F); // 2 ulp
    for (std::size_t i = 0; i < prefixes.size(); ++i) {
        const auto exact = static_cast<float>(where.offset + static_cast<std::int64_t>(i) + 1);
        ASSERT_NEAR(prefixes[i], exact, 8.0F);
    }
}

// BC-36
TEST_F(Accumulator, ManyMinusOnesSumExactly)
{
    const layout where = split_evenly(20250000, world_rank(), world_size());
    const std::vector<float> ones(static_cast<std::size_t>(where.count), -1.0F);

    const float sum_of_ones = all_reduce<float>(comm_, sum, std::span(ones));

    EXPECT_NEAR(sum_of_ones, -20250000.0F, 2.0F);
}

TEST_F(Accumulator, ComplexFloatsAreSummedInComplexDouble)
{
    RANKFOLD_NEEDS_COMPILED(comm_, sum, std::complex<float>, std::complex<double>);
    const std::vector<std::complex<float>> mine(1001, {16777216.0F, -1.0F});

    const auto total = all_reduce<std::complex<double>>(comm_, sum, std::span(mine));

    EXPECT_EQ(total, (std::complex<double>(1001.0 * 16777216.0 * world_size(), -1001.0 * world_size())));
}

} // namespace
} // namespace rankfold::test
