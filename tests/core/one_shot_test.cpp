// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The one-shot functions on host memory: on the cuda backend they stage it.
#include "rankfold/rankfold.hpp"
#include "support/expect.hpp"
#include "support/matrix.hpp"

namespace rankfold::test {
namespace {

template <class Case>
class OneShot : public testing::Test {
protected:
    using input = typename Case::input;
    using output = typename Case::output;
    static constexpr std::int64_t piece = 2049;

    communicator comm_{MPI_COMM_WORLD};
    std::vector<input> global_ = global_array<input>(piece * world_size());
};

using cases = testing::Types<sum_of_int64, sum_of_int32_in_int64, sum_of_float_in_double, max_of_float,
                             composition_of_maps>;
TYPED_TEST_SUITE(OneShot, cases);

TYPED_TEST(OneShot, ReductionsMatchReference)
{
    using out = typename TypeParam::output;
    const out init = TypeParam::init();
    const auto plain = reference_of<out>(this->global_, TypeParam::reference);
    const auto with_init = reference_of<out>(this->global_, TypeParam::reference, std::optional(init));

    for (const distribution shape : all_distributions) {
        SCOPED_TRACE(to_string(shape));
        const layout where = layout_of(shape, this->piece, world_rank(), world_size());
        const auto mine = piece_of(this->global_, where);
        const int root = world_size() - 1;

        const out total = all_reduce<out>(this->comm_, TypeParam::op, std::span(mine));
        const out total_with_init =
            all_reduce<out>(this->comm_, TypeParam::op, std::span(mine), reduce_options<out>{.init = init});
        const std::optional<out> at_root = reduce<out>(this->comm_, TypeParam::op, std::span(mine), root);

        EXPECT_TRUE(same_bits(total, plain.total(where.total))) << as_text(total);
        EXPECT_TRUE(same_bits(total_with_init, with_init.total(where.total))) << as_text(total_with_init);
        EXPECT_EQ(at_root.has_value(), world_rank() == root);
        EXPECT_TRUE(!at_root || same_bits(*at_root, plain.total(where.total)));
    }
}

TYPED_TEST(OneShot, ScansMatchReference)
{
    using out = typename TypeParam::output;
    const out init = TypeParam::init();
    const auto plain = reference_of<out>(this->global_, TypeParam::reference);
    const auto with_init = reference_of<out>(this->global_, TypeParam::reference, std::optional(init));

    for (const distribution shape : all_distributions) {
        SCOPED_TRACE(to_string(shape));
        const layout where = layout_of(shape, this->piece, world_rank(), world_size());
        const auto mine = piece_of(this->global_, where);
        std::vector<out> upto(mine.size());
        std::vector<out> before(mine.size());
        out total{};

        inclusive_scan(this->comm_, TypeParam::op, std::span(mine), std::span(upto));
        exclusive_scan(this->comm_, TypeParam::op, std::span(mine), std::span(before),
                       scan_options<out>{.init = init, .total = &total});

        EXPECT_TRUE(same_elements(upto, piece_of(plain.inclusive, where)));
        EXPECT_TRUE(same_elements(before, piece_of(with_init.exclusive, where)));
        EXPECT_TRUE(same_bits(total, with_init.total(where.total))) << as_text(total);
    }
}

// BC-20, BC-21: the same buffer as input and output.
TEST(OneShotInPlace, ScansAndReductionsOfOneElementPerRank)
{
    communicator comm(MPI_COMM_WORLD);
    const std::int64_t r = world_rank();
    std::vector<int> upto{static_cast<int>(10 * (r + 1))};
    std::vector<int> before = upto;

    inclusive_scan(comm, sum, std::span(upto), std::span(upto));
    exclusive_scan(comm, sum, std::span(before), std::span(before));
    const int total = all_reduce<int>(comm, sum, std::span(before));

    EXPECT_EQ(upto[0], 5 * (r + 1) * (r + 2));
    EXPECT_EQ(before[0], 5 * r * (r + 1));
    int expected = 0;
    for (int i = 0; i < world_size(); ++i) {
        expected += 5 * i * (i + 1);
    }
    EXPECT_EQ(total, expected);
}

TEST(OneShotTypes, ConstSpansArraysAndLongLongAreTaken)
{
    communicator comm(MPI_COMM_WORLD);
    const std::array<long long, 3> fixed{1, 2, 3};
    std::array<long long, 3> scanned{};

    const auto total = all_reduce<long long>(comm, sum, std::span(fixed));
    inclusive_scan(comm, sum, std::span(fixed), std::span(scanned));

    EXPECT_EQ(total, 6 * world_size());
    EXPECT_EQ(scanned[2], 6 * (world_rank() + 1));
}

} // namespace
} // namespace rankfold::test
