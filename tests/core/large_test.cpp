// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Counts, indices and sums past 2^31 and 2^32, on arrays most of which is the same few pages of memory.
#include "rankfold/rankfold.hpp"
#include "support/distributed.hpp"
#include "support/distributions.hpp"
#include "support/repeated_memory.hpp"

#include <algorithm>
#include <cmath>

namespace rankfold::test {
namespace {

class Large : public testing::Test {
protected:
    communicator comm_{MPI_COMM_WORLD};
    std::int64_t rank_ = world_rank();
    std::int64_t ranks_ = world_size();
};

// BC-08
TEST_F(Large, PiecesAreCountedAndSearchedPast32Bits)
{
    const std::int64_t count = 2400000000;
    const std::int64_t last = count * ranks_ - 1;
    const repeated_memory<std::int8_t> ones(count, 1);
    const std::span<const std::int8_t> mine(ones.data(), static_cast<std::size_t>(count));

    const auto sum_of_ones = all_reduce<std::int64_t>(comm_, sum, mine);
    ones.data()[count - 1] = static_cast<std::int8_t>(rank_ == ranks_ - 1 ? 2 : 1);
    const located<std::int8_t> largest = max_loc(comm_, mine);
    ones.data()[count - 1] = static_cast<std::int8_t>(rank_ == ranks_ - 1 ? 0 : 1);
    const located<std::int8_t> smallest = min_loc(comm_, mine);

    EXPECT_EQ(sum_of_ones, count * ranks_);
    EXPECT_EQ(largest, (located<std::int8_t>{2, last}));
    EXPECT_EQ(smallest, (located<std::int8_t>{0, last}));
}

// BC-08: init stands for 2400000000 ones on a rank before.
TEST_F(Large, CarriesPast32BitsReachEveryElement)
{
    const std::int64_t before = 2400000000;
    const std::vector<std::int8_t> ones(5000, 1);
    std::vector<std::int64_t> out(ones.size());
    std::int64_t total = 0;

    exclusive_scan(comm_, sum, std::span(ones), std::span(out), {.init = before, .total = &total});

    for (std::size_t i = 0; i < out.size(); ++i) {
        ASSERT_EQ(out[i], before + 5000 * rank_ + static_cast<std::int64_t>(i));
    }
    EXPECT_EQ(total, before + 5000 * ranks_);
    EXPECT_EQ(exscan<std::int64_t>(comm_, sum, before), before * rank_);
}

// BC-05, in int8: 0, then ones, then 2 at the very end; the ranks above hold one more zero each.
TEST_F(Large, PiecesPast32BitsAreScannedToTheirEnd)
{
    const std::int64_t count = rank_ == 0 ? 4294967297 : 1;
    const repeated_memory<std::int8_t> in(count, 0);
    const repeated_memory<std::int8_t> out(count, 77);
    std::int8_t* const first = out.data();
    std::int8_t* const last = first + count - 1;
    if (rank_ == 0) {
        in.data()[1] = in.data()[count - 1] = 1;
    }
    scan_plan<std::int8_t> plan(comm_, inclusive, sum, {.max_count = count});

    plan.execute(in.data(), out.data(), count);

    const auto ones = [](const std::int8_t* begin, const std::int8_t* end) {
        return std::all_of(begin, end, [](std::int8_t x) { return x == 1; });
    };
    EXPECT_EQ(*first, rank_ == 0 ? 0 : 2);
    EXPECT_EQ(*last, 2);
    EXPECT_EQ(last[1], 77);
    EXPECT_TRUE(rank_ != 0 || ones(first + 1, first + out.block));
    EXPECT_TRUE(rank_ != 0 || ones(out.shared_block(), out.shared_block() + out.block));
    EXPECT_TRUE(rank_ != 0 || ones(out.end_block(), last));
}

/// This rank's share of as many ones.
class FloatOnes : public Large {
protected:
    static layout share(std::int64_t total) { return split_evenly(total, world_rank(), world_size()); }
};

// BC-34
TEST_F(FloatOnes, SumWithinTwoUlp)
{
    for (const auto& [total, two_ulp] : {std::pair(std::int64_t{100000000}, 16.0F), {1000000000, 128.0F}}) {
        const layout where = share(total);
        const repeated_memory<float> ones(where.count, 1.0F);
        const std::span<const float> mine(ones.data(), static_cast<std::size_t>(where.count));

        EXPECT_NEAR(all_reduce<float>(comm_, sum, mine), static_cast<float>(total), two_ulp);
        EXPECT_EQ(all_reduce<double>(comm_, sum, mine), static_cast<double>(total));
    }
}

// BC-34: no plateau at 2^24.
TEST_F(FloatOnes, PrefixesInFloatAreWithinTwoUlp)
{
    const layout where = share(100000000);
    std::vector<float> data(static_cast<std::size_t>(where.count), 1.0F);

    inclusive_scan(comm_, sum, std::span(data), std::span(data));

    std::int64_t off = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
        const auto exact = static_cast<double>(where.offset + static_cast<std::int64_t>(i) + 1);
        off += std::fabs(data[i] - exact) > 2 * exact * 0x1p-23 ? 1 : 0;
    }
    EXPECT_EQ(off, 0);
}

// BC-34
TEST_F(FloatOnes, PrefixesInDoubleAreExact)
{
    const layout where = share(100000000);
    const repeated_memory<float> ones(where.count, 1.0F);
    const std::span<const float> mine(ones.data(), static_cast<std::size_t>(where.count));
    std::vector<double> out(mine.size());

    inclusive_scan(comm_, sum, mine, std::span(out));

    std::int64_t off = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        off += out[i] != static_cast<double>(where.offset + static_cast<std::int64_t>(i) + 1) ? 1 : 0;
    }
    EXPECT_EQ(off, 0);
}

} // namespace
} // namespace rankfold::test
