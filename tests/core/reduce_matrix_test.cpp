// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reduce plans over the whole matrix of operators, distributions and sizes.
#include "rankfold/reduce.hpp"
#include "support/backend_data.hpp"
#include "support/expect.hpp"
#include "support/matrix.hpp"

namespace rankfold::test {
namespace {

template <class Case>
class ReduceMatrix : public testing::Test {
protected:
    using input = typename Case::input;
    using output = typename Case::output;

    output reduced(reduce_plan<input, output>& plan, const layout& where)
    {
        const array<input> in = to_backend(comm_, piece_of(global_, where));
        array<output> result(comm_, 1);
        plan.execute(in.data(), where.count, result.data(), on_stream(comm_));
        return first_of(comm_, result);
    }

    communicator comm_{MPI_COMM_WORLD};
    std::vector<input> global_ = global_array<input>(largest_piece<input> * world_size());
};

using cases = testing::Types<sum_of_int64, sum_of_int32_in_int64, sum_of_float_in_double, max_of_float,
                             composition_of_maps>;
TYPED_TEST_SUITE(ReduceMatrix, cases);

TYPED_TEST(ReduceMatrix, AllReduceMatchesReferenceOnEveryRank)
{
    using out = typename TypeParam::output;
    const prefix_folds<out> reference = reference_of<out>(this->global_, TypeParam::reference);
    reduce_plan<typename TypeParam::input, out> plan(this->comm_, TypeParam::op,
                                                     {.max_count = largest_piece<typename TypeParam::input>});

    for_every_layout<typename TypeParam::input>([&](const layout& where) {
        const out result = this->reduced(plan, where);

        EXPECT_TRUE(same_bits(result, reference.total(where.total))) << as_text(result);
    });
}

TYPED_TEST(ReduceMatrix, InitEntersOnce)
{
    using out = typename TypeParam::output;
    const out init = TypeParam::init();
    const prefix_folds<out> reference =
        reference_of<out>(this->global_, TypeParam::reference, std::optional(init));
    reduce_plan<typename TypeParam::input, out> plan(this->comm_, TypeParam::op, {.init = init});

    for_every_layout<typename TypeParam::input>([&](const layout& where) {
        const out result = this->reduced(plan, where);

        EXPECT_TRUE(same_bits(result, reference.total(where.total))) << as_text(result);
    });
}

TYPED_TEST(ReduceMatrix, OnlyTheRootOfAReduceIsWritten)
{
    using out = typename TypeParam::output;
    const prefix_folds<out> reference = reference_of<out>(this->global_, TypeParam::reference);

    for (int root = 0; root < world_size(); ++root) {
        SCOPED_TRACE(testing::Message() << "root " << root);
        reduce_plan<typename TypeParam::input, out> plan(this->comm_, TypeParam::op, {.root = root});
        const layout where = layout_of(distribution::ragged, 2049, world_rank(), world_size());

        const out result = this->reduced(plan, where);

        const out zeroed{};
        EXPECT_TRUE(same_bits(result, world_rank() == root ? reference.total(where.total) : zeroed))
            << as_text(result);
    }
}

TYPED_TEST(ReduceMatrix, SeveralPiecesAreReducedIndependently)
{
    using out = typename TypeParam::output;
    using in = typename TypeParam::input;
    const prefix_folds<out> reference = reference_of<out>(this->global_, TypeParam::reference);
    constexpr std::array shapes{distribution::ragged, distribution::all_empty, distribution::even,
                                distribution::all_but_one_empty, distribution::one_element};
    reduce_plan<in, out> plan(this->comm_, TypeParam::op, {.results = static_cast<int>(shapes.size())});
    std::vector<layout> layouts;
    std::vector<array<in>> inputs;
    std::vector<std::span<const in>> views;
    for (const distribution shape : shapes) {
        layouts.push_back(layout_of(shape, 257, world_rank(), world_size()));
        inputs.push_back(to_backend(this->comm_, piece_of(this->global_, layouts.back())));
        views.push_back(std::as_const(inputs.back()).span());
    }
    array<out> results(this->comm_, shapes.size());

    plan.execute(views, results.data(), on_stream(this->comm_));

    const std::vector<out> values = to_host(this->comm_, results);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        EXPECT_TRUE(same_bits(values[i], reference.total(layouts[i].total)))
            << "result " << i << ": " << as_text(values[i]);
    }
}

// More records than a slot holds.
TYPED_TEST(ReduceMatrix, AHundredResultsTravelTogether)
{
    using in = typename TypeParam::input;
    using out = typename TypeParam::output;
    constexpr std::int64_t results_count = 100;
    const prefix_folds<out> reference = reference_of<out>(this->global_, TypeParam::reference);
    reduce_plan<in, out> plan(this->comm_, TypeParam::op, {.results = results_count});
    std::vector<array<in>> inputs;
    std::vector<std::span<const in>> views;
    for (std::int64_t i = 0; i < results_count; ++i) {
        const layout shape = layout_of(distribution::ragged, i, world_rank(), world_size());
        inputs.push_back(to_backend(this->comm_, piece_of(this->global_, shape)));
        views.push_back(std::as_const(inputs.back()).span());
    }
    array<out> results(this->comm_, results_count);

    plan.execute(views, results.data(), on_stream(this->comm_));

    const std::vector<out> values = to_host(this->comm_, results);
    for (std::int64_t i = 0; i < results_count; ++i) {
        const std::int64_t total = layout_of(distribution::ragged, i, world_rank(), world_size()).total;
        EXPECT_TRUE(same_bits(values[static_cast<std::size_t>(i)], reference.total(total)))
            << "result " << i << ": " << as_text(values[static_cast<std::size_t>(i)]);
    }
}

} // namespace
} // namespace rankfold::test
