// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What every build for GPUs has, also with RANKFOLD_FULL=OFF: what the README's program and field_stats call.
// Looked up only, so that no GPU is needed.
#include "rankfold/plan.hpp"
#include "rankfold/rankfold.hpp"

#include <gtest/gtest.h>

namespace rankfold {
namespace {

template <operator_id Id, class In, class Out>
bool on_gpus()
{
    return detail::operation_for<In, Out>(builtin_operator<Id>{}).device.reduce != nullptr;
}

template <class T>
class CoreSet : public testing::Test {
};
using field_types = testing::Types<float, double, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(CoreSet, field_types);

TYPED_TEST(CoreSet, HasWhatFieldStatsNeeds)
{
    using sum_type = std::conditional_t<std::is_floating_point_v<TypeParam>, double, std::int64_t>;

    EXPECT_TRUE((on_gpus<operator_id::sum, TypeParam, sum_type>()));
    EXPECT_TRUE((on_gpus<operator_id::min_loc, TypeParam, located<TypeParam>>()));
    EXPECT_TRUE((on_gpus<operator_id::max_loc, TypeParam, located<TypeParam>>()));
}

} // namespace
} // namespace rankfold
