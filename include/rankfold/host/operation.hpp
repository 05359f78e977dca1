// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The host phases of an operation, from its algebra.
#pragma once

#include "rankfold/host/fold.hpp"
#include "rankfold/host/lift.hpp"
#include "rankfold/host/reduce.hpp"
#include "rankfold/host/scan.hpp"
#include "rankfold/host/tile_reduce.hpp"
#include "rankfold/host/tile_scan.hpp"

namespace rankfold::host {

/// The local phases of algebra A on the cores of a rank. An operator that cannot scan gets no scans.
template <Algebra A, bool CanScan = true>
[[nodiscard]] constexpr local_phases host_phases()
{
    local_phases phases;
    phases.workspace_bytes = workspace_bytes<A>;
    phases.reduce = reduce<A>;
    phases.lift = lift<A>;
    phases.fold = fold<A>;
    if constexpr (CanScan) {
        phases.scan = scan<A>;
        phases.tile_reduce = tile_reduce<A>;
        phases.tile_scan = tile_scan<A>;
    }
    return phases;
}

/// The operation of an algebra with its host phases; the device phases are null.
template <Algebra A>
[[nodiscard]] operation make_operation(const A& algebra, operator_id op = operator_id::user)
{
    operation result = describe_operation(algebra, op);
    result.host = host_phases<A>();
    return result;
}

} // namespace rankfold::host
