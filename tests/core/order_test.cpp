// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operands in their order, init once, carries at the right element: the inputs of reports about other
// libraries.
#include "rankfold/rankfold.hpp"
#include "support/backend_data.hpp"
#include "support/distributed.hpp"
#include "support/distributions.hpp"
#include "support/expect.hpp"

#include <numeric>

namespace rankfold::test {
namespace {

class Order : public testing::Test {
protected:
    communicator comm_{MPI_COMM_WORLD};
    std::int32_t rank_ = world_rank();
    std::int32_t ranks_ = world_size();
};

// BC-38: swapped operands would end in {6, 31}.
TEST_F(Order, AffineMapsAreAppliedFromTheLeft)
{
    using map = affine_map<std::int64_t>;
    const std::vector<map> global{{2, 1}, {3, 0}, {1, 5}};
    const std::vector<map> expected{{2, 1}, {6, 3}, {6, 8}};
    const layout where = split_evenly(3, rank_, ranks_);
    const std::vector<map> mine = piece_of(global, where);
    std::vector<map> out(mine.size());

    inclusive_scan(comm_, affine, std::span(mine), std::span(out));

    EXPECT_TRUE(same_elements(out, piece_of(expected, where)));
    EXPECT_EQ(all_reduce<map>(comm_, affine, std::span(mine)), (map{6, 8}));
}

// BC-41
TEST_F(Order, InitEntersOnceWhateverTheNumberOfRanksAndBlocks)
{
    for (const std::int32_t count : {513, 100003}) {
        const std::vector<std::int32_t> ones(static_cast<std::size_t>(count), 1);
        const std::vector<std::int32_t> low(ones.size(), -20);
        std::vector<std::int32_t> out(ones.size());

        inclusive_scan(comm_, sum, std::span(ones), std::span(out), {.init = 1});

        for (std::int32_t i = 0; i < count; ++i) {
            ASSERT_EQ(out[static_cast<std::size_t>(i)], rank_ * count + i + 2);
        }
        EXPECT_EQ(all_reduce<std::int32_t>(comm_, sum, std::span(ones), {.init = 1}), ranks_ * count + 1);
        EXPECT_EQ(all_reduce<std::int32_t>(comm_, max, std::span(low), {.init = -7}), -7);
    }
}

// BC-46
TEST_F(Order, ExclusivePrefixesOfOnesAreGlobalIndices)
{
    for (const std::int32_t count : {10007, 300007}) {
        const array<std::int32_t> ones =
            to_backend(comm_, std::vector<std::int32_t>(static_cast<std::size_t>(count), 1));
        array<std::int32_t> out(comm_, count);
        scan_plan<std::int32_t> plan(comm_, exclusive, sum, {.max_count = count});

        plan.execute(ones.data(), out.data(), count, on_stream(comm_));

        std::vector<std::int32_t> indices(static_cast<std::size_t>(count));
        std::iota(indices.begin(), indices.end(), rank_ * count);
        EXPECT_TRUE(same_elements(to_host(comm_, out), indices));
    }
}

} // namespace
} // namespace rankfold::test
