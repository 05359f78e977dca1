// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The exclusive prefix over ranks of one value, or a few, per rank: the primitive inside the scans.
#pragma once

#include "rankfold/plan.hpp"

namespace rankfold {

template <class Out>
struct exscan_options {
    std::optional<Out> init{};
    Out* total = nullptr; ///< where to write the fold over all ranks, for nothing extra (host memory)
    std::optional<rankfold::accuracy> accuracy{}; ///< as in reduce_options
};

/// op(init, v_0, ..., v_{rank-1}): the fold of the values of the lower ranks.
/// Edge: rank 0 gets init, or else the operator's identity (never undefined, unlike MPI_Exscan).
/// Collective, errors: as all_reduce. Memory: the value is passed and returned by value. Cost: one exchange
/// of slots.
template <class Out, operator_id Id, class In>
[[nodiscard]] Out exscan(const communicator& comm, builtin_operator<Id> /*op*/, const In& value,
                         const exscan_options<Out>& options = {}, const execution& execution = {})
{
    Out prefix{};
    detail::exscan_once(
        comm, detail::builtin_operation_for<Id, In, Out>(),
        {.kind = call_kind::exscan, .init = detail::to_init(options.init), .accuracy = options.accuracy},
        &value, &prefix, options.total, execution);
    return prefix;
}

template <class Out>
struct exscan_plan_options {
    int values = 1; ///< independent values per rank, the same on all ranks
    std::optional<Out> init{};
    std::optional<rankfold::accuracy> accuracy{}; ///< as in reduce_options
};

/// An exscan prepared once and executed many times, on memory of the communicator's backend.
template <class In, class Out = In>
class exscan_plan {
public:
    /// Collective. @throws error on every rank; a plan with neither init nor identity is refused
    template <operator_id Id>
    exscan_plan(const communicator& comm, builtin_operator<Id> /*op*/,
                const exscan_plan_options<Out>& options = {}, const execution& where = {})
        : exscan_plan(comm, detail::builtin_operation_for<Id, In, Out>(), options, where)
    {
    }
    exscan_plan(const communicator& comm, const operation& op, const exscan_plan_options<Out>& options = {},
                const execution& where = {})
        : plan_(comm, op,
                {.kind = call_kind::exscan,
                 .results = options.values,
                 .init = detail::to_init(options.init),
                 .accuracy = options.accuracy},
                where)
    {
    }

    /// prefixes[i] = fold of values[i] over the lower ranks; totals[i], where `totals` is not null, over all
    /// ranks. Stream: ordered on execution.stream; returns before completion (host backend, transport mpi:
    /// waits).
    void execute(const In* values, Out* prefixes, const execution& execution = {})
    {
        plan_.exscan(values, prefixes, nullptr, execution);
    }
    void execute(const In* values, Out* prefixes, Out* totals, const execution& execution = {})
    {
        plan_.exscan(values, prefixes, totals, execution);
    }

private:
    detail::plan plan_;
};

} // namespace rankfold
