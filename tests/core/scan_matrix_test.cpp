// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Scan plans over the whole matrix of operators, distributions and sizes.
#include "rankfold/scan.hpp"
#include "support/backend_data.hpp"
#include "support/expect.hpp"
#include "support/matrix.hpp"

namespace rankfold::test {
namespace {

template <class Case>
class ScanMatrix : public testing::Test {
protected:
    using input = typename Case::input;
    using output = typename Case::output;

    /// The plan's output for this rank's piece, and the total where asked for.
    std::vector<output> scanned(scan_plan<input, output>& plan, const layout& where, output* total = nullptr)
    {
        const array<input> in = to_backend(comm_, piece_of(global_, where));
        array<output> out(comm_, where.count);
        array<output> device_total(comm_, 1);
        if (total != nullptr) {
            plan.execute(in.data(), out.data(), where.count, device_total.data(), on_stream(comm_));
            *total = first_of(comm_, device_total);
        } else {
            plan.execute(in.data(), out.data(), where.count, on_stream(comm_));
        }
        return to_host(comm_, out);
    }

    std::vector<output> scanned_in_place(scan_plan<input, output>& plan, const layout& where)
    {
        array<output> data = to_backend(comm_, piece_of(global_, where));
        plan.execute(data.data(), data.data(), where.count, on_stream(comm_));
        return to_host(comm_, data);
    }

    communicator comm_{MPI_COMM_WORLD};
    std::vector<input> global_ = global_array<input>(largest_piece<input> * world_size());
};

using cases = testing::Types<sum_of_int64, sum_of_int32_in_int64, sum_of_float_in_double, max_of_float,
                             composition_of_maps>;
TYPED_TEST_SUITE(ScanMatrix, cases);

TYPED_TEST(ScanMatrix, InclusiveMatchesReference)
{
    using out = typename TypeParam::output;
    const prefix_folds<out> reference = reference_of<out>(this->global_, TypeParam::reference);
    scan_plan<typename TypeParam::input, out> plan(this->comm_, inclusive, TypeParam::op,
                                                   {.max_count = largest_piece<typename TypeParam::input>});

    for_every_layout<typename TypeParam::input>([&](const layout& where) {
        const std::vector<out> result = this->scanned(plan, where);

        EXPECT_TRUE(same_elements(result, piece_of(reference.inclusive, where)));
    });
}

TYPED_TEST(ScanMatrix, ExclusiveMatchesReferenceAndStartsWithTheIdentity)
{
    using out = typename TypeParam::output;
    const prefix_folds<out> reference = reference_of<out>(this->global_, TypeParam::reference);
    scan_plan<typename TypeParam::input, out> plan(this->comm_, exclusive, TypeParam::op,
                                                   {.max_count = largest_piece<typename TypeParam::input>});

    for_every_layout<typename TypeParam::input>([&](const layout& where) {
        const std::vector<out> result = this->scanned(plan, where);

        EXPECT_TRUE(same_elements(result, piece_of(reference.exclusive, where)));
    });
}

TYPED_TEST(ScanMatrix, InitEntersOnceAndTotalsHoldEverything)
{
    using out = typename TypeParam::output;
    const out init = TypeParam::init();
    const prefix_folds<out> reference =
        reference_of<out>(this->global_, TypeParam::reference, std::optional(init));
    const scan_plan_options<out> options{.max_count = largest_piece<typename TypeParam::input>, .init = init};
    scan_plan<typename TypeParam::input, out> including(this->comm_, inclusive, TypeParam::op, options);
    scan_plan<typename TypeParam::input, out> excluding(this->comm_, exclusive, TypeParam::op, options);

    for_every_layout<typename TypeParam::input>([&](const layout& where) {
        out including_total{};
        out excluding_total{};
        const std::vector<out> upto = this->scanned(including, where, &including_total);
        const std::vector<out> before = this->scanned(excluding, where, &excluding_total);

        EXPECT_TRUE(same_elements(upto, piece_of(reference.inclusive, where)));
        EXPECT_TRUE(same_elements(before, piece_of(reference.exclusive, where)));
        EXPECT_TRUE(same_bits(including_total, reference.total(where.total))) << as_text(including_total);
        EXPECT_TRUE(same_bits(excluding_total, reference.total(where.total))) << as_text(excluding_total);
    });
}

TYPED_TEST(ScanMatrix, InPlaceMatchesReference)
{
    using out = typename TypeParam::output;
    if constexpr (std::is_same_v<typename TypeParam::input, out>) {
        const prefix_folds<out> reference = reference_of<out>(this->global_, TypeParam::reference);
        scan_plan<out> including(this->comm_, inclusive, TypeParam::op,
                                 {.max_count = largest_piece<typename TypeParam::input>});
        scan_plan<out> excluding(this->comm_, exclusive, TypeParam::op,
                                 {.max_count = largest_piece<typename TypeParam::input>});

        for_every_layout<typename TypeParam::input>([&](const layout& where) {
            const std::vector<out> upto = this->scanned_in_place(including, where);
            const std::vector<out> before = this->scanned_in_place(excluding, where);

            EXPECT_TRUE(same_elements(upto, piece_of(reference.inclusive, where)));
            EXPECT_TRUE(same_elements(before, piece_of(reference.exclusive, where)));
        });
    }
}

} // namespace
} // namespace rankfold::test
