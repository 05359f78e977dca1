// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which operations the library has on the backend at hand: RANKFOLD_FULL=OFF leaves some out on GPUs.
#pragma once

#include "rankfold/plan.hpp"
#include "support/distributed.hpp"

namespace rankfold::test {

template <class In, class Out, operator_id Id>
[[nodiscard]] bool is_compiled(const communicator& comm, builtin_operator<Id> /*op*/)
{
    const operation found = detail::operation_for<In, Out>(builtin_operator<Id>{});
    return (comm.backend() == backend::cuda ? found.device : found.host).reduce != nullptr;
}

} // namespace rankfold::test

/// Skips the test on every rank where the library was built without this operation.
#define RANKFOLD_NEEDS_COMPILED(comm, op, In, Out)                                                           \
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(!(rankfold::test::is_compiled<In, Out>(comm, op)),                        \
                                   "built without " #op " of " #In " into " #Out " (RANKFOLD_FULL=OFF)")
