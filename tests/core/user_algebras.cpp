// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/user_algebra_definitions.hpp"
#include "rankfold/host/operation.hpp"

namespace rankfold::test {
namespace {

template <Algebra A>
operation make_operation(const A& algebra = {})
{
    operation result = host::make_operation(algebra);
    result.device = device_phases_of<A>();
    return result;
}

} // namespace

operation interval_operation()
{
    return make_operation<interval_algebra>();
}
operation defaulted_sum_operation()
{
    return make_operation<defaulted_sum>();
}
template <std::size_t N>
operation shorts_sum_operation()
{
    return make_operation<shorts_sum<N>>();
}
template operation shorts_sum_operation<3>();
template operation shorts_sum_operation<9>();
operation decimal_operation()
{
    return make_operation<decimal_join>();
}
operation log_add_exp_operation()
{
    return make_operation<log_add_exp>();
}
operation nearest_operation(double target)
{
    return make_operation(nearest{target});
}

} // namespace rankfold::test
