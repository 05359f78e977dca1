// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// min_loc and max_loc: where the extreme of the global array is.
#include "rankfold/reduce.hpp"
#include "rankfold/scan.hpp"
#include "support/backend_data.hpp"
#include "support/compiled.hpp"
#include "support/expect.hpp"
#include "support/matrix.hpp"

namespace rankfold::test {
namespace {

template <class T>
class Location : public testing::Test {
protected:
    communicator comm_{MPI_COMM_WORLD};
};
using location_types = testing::Types<std::int8_t, std::int32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(Location, location_types);

TYPED_TEST(Location, MatchesReferenceOnEveryLayout)
{
    RANKFOLD_NEEDS_COMPILED(this->comm_, min_loc, TypeParam, located<TypeParam>);
    RANKFOLD_NEEDS_COMPILED(this->comm_, max_loc, TypeParam, located<TypeParam>);
    const auto global = global_array<TypeParam>(largest_piece<TypeParam> * world_size());
    reduce_plan<TypeParam, located<TypeParam>> smallest(this->comm_, min_loc);
    reduce_plan<TypeParam, located<TypeParam>> largest(this->comm_, max_loc);

    for_every_layout<TypeParam>([&](const layout& where) {
        const std::vector<TypeParam> all(global.begin(), global.begin() + where.total);
        const array<TypeParam> in = to_backend(this->comm_, piece_of(global, where));
        array<located<TypeParam>> results(this->comm_, 2);
        smallest.execute(in.data(), where.count, results.data(), on_stream(this->comm_));
        largest.execute(in.data(), where.count, results.data() + 1, on_stream(this->comm_));

        const auto found = to_host(this->comm_, results);

        EXPECT_EQ(as_text(found[0]), as_text(reference_location<true>(all)));
        EXPECT_EQ(as_text(found[1]), as_text(reference_location<false>(all)));
    });
}

template <class T>
std::vector<T> my_part(const std::vector<T>& global)
{
    const auto total = static_cast<std::int64_t>(global.size());
    return piece_of(global, split_evenly(total, world_rank(), world_size()));
}

// BC-26
TEST(LocationOfNan, IsThatOfTheFirstNan)
{
    communicator comm(MPI_COMM_WORLD);
    std::vector<float> global(1000, 0.5F);
    global[733] = std::numeric_limits<float>::quiet_NaN();
    global[989] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> mine = my_part(global);

    const located<float> smallest = min_loc(comm, std::span(mine));
    const located<float> largest = max_loc(comm, std::span(mine));

    EXPECT_EQ(smallest.index, 733);
    EXPECT_EQ(largest.index, 733);
    EXPECT_TRUE(std::isnan(smallest.value) && std::isnan(largest.value));
}

// BC-54
TEST(LocationOfTies, IsTheLowestIndexInEveryRepeat)
{
    communicator comm(MPI_COMM_WORLD);
    std::vector<double> global(4000, 0.0);
    const std::vector<double> zeros = my_part(global);
    global[1500] = -1.0;
    global[3999] = -1.0;
    const std::vector<double> two_equal = my_part(global);

    for (int repeat = 0; repeat < 25; ++repeat) {
        EXPECT_EQ(min_loc(comm, std::span(zeros)), (located<double>{0.0, 0}));
        EXPECT_EQ(max_loc(comm, std::span(zeros)), (located<double>{0.0, 0}));
        EXPECT_EQ(min_loc(comm, std::span(two_equal)), (located<double>{-1.0, 1500}));
    }
}

// BC-22
TEST(LocationOfInfinities, IsTheFirstElement)
{
    communicator comm(MPI_COMM_WORLD);
    const bool empty = world_rank() % 2 == 1;
    const float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> high(empty ? 0 : 10, infinity);
    const std::vector<float> low(empty ? 0 : 10, -infinity);

    const located<float> smallest = min_loc(comm, std::span(high));
    const located<float> largest = max_loc(comm, std::span(low));

    EXPECT_EQ(smallest, (located<float>{infinity, 0}));
    EXPECT_EQ(largest, (located<float>{-infinity, 0}));
}

TEST(LocationOfZeros, TakesZerosOfEitherSignForEqual)
{
    communicator comm(MPI_COMM_WORLD);
    const std::vector<float> mine{world_rank() % 2 == 0 ? 0.0F : -0.0F};

    const located<float> smallest = min_loc(comm, std::span(mine));
    const located<float> largest = max_loc(comm, std::span(mine));

    EXPECT_EQ(smallest.index, 0);
    EXPECT_EQ(largest.index, 0);
}

// std::int64_t is one of `long` and `long long`, and programs have both.
TEST(LocationOfLongLong, IsThatOfInt64)
{
    communicator comm(MPI_COMM_WORLD);
    const long long rank = world_rank();
    const std::vector<long long> mine{5 + rank, 2 + rank, 9 + rank};
    const std::vector<unsigned long long> unsigned_mine(mine.begin(), mine.end());
    const array<long long> data = to_backend(comm, mine);
    array<located<long long>> found(comm, 1);
    reduce_plan<long long, located<long long>> plan(comm, max_loc);

    const located<long long> smallest = min_loc(comm, std::span(mine));
    const located<unsigned long long> largest = max_loc(comm, std::span(unsigned_mine));
    plan.execute(data.data(), 3, found.data(), on_stream(comm));

    EXPECT_EQ(smallest, (located<long long>{2, 1}));
    EXPECT_EQ(largest, (located<unsigned long long>{8ULL + static_cast<unsigned>(world_size()),
                                                    3LL * world_size() - 1}));
    EXPECT_EQ(first_of(comm, found), (located<long long>{8 + world_size(), 3LL * world_size() - 1}));
}

TEST(MapsOfLongLong, AreComposed)
{
    communicator comm(MPI_COMM_WORLD);
    using map = affine_map<long long>;
    const std::vector<map> mine{{2, 1}, {1, 3}}; // x -> 2 x + 1, then + 3: together 2 x + 4
    std::vector<map> upto(2);

    inclusive_scan(comm, affine, std::span(mine), std::span(upto));

    map expected{1, 0};
    for (int i = 0; i <= world_rank(); ++i) {
        expected = {2 * expected.a, 2 * expected.b + 4};
    }
    EXPECT_EQ(upto.back(), expected);
}

} // namespace
} // namespace rankfold::test
