// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/user_algebra_definitions.hpp"
#include "rankfold/device/operation.cuh"

namespace rankfold::test {

template <Algebra A>
local_phases device_phases_of()
{
    return device_phases<A>();
}
template local_phases device_phases_of<interval_algebra>();
template local_phases device_phases_of<defaulted_sum>();
template local_phases device_phases_of<shorts_sum<3>>();
template local_phases device_phases_of<shorts_sum<9>>();
template local_phases device_phases_of<decimal_join>();
template local_phases device_phases_of<log_add_exp>();
template local_phases device_phases_of<nearest>();

} // namespace rankfold::test
