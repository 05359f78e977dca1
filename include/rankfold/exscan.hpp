// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The exclusive prefix over ranks of one value, or a few, per rank: the primitive inside the scans.
#pragma once

#include "rankfold/plan.hpp"

namespace rankfold {

template <class Out>
struct exscan_options {
    std::optional<Out> init{}; ///< enters once, left of rank 0's value; equal on all ranks
    /// Where to write the fold over all ranks with init, for nothing extra. Host memory; null: not wanted.
    Out* total = nullptr;
    std::optional<rankfold::accuracy> accuracy{}; ///< as in reduce_options
};

/// op(init, v_0, ..., v_{rank-1}): the fold of the values of the lower ranks.
/// Edge: rank 0 gets init, or else the operator's identity (never undefined, unlike MPI_Exscan); without
/// either it is an error (usage). Collective, errors: as all_reduce. Memory: the value is passed and returned
/// by value. Cost: one exchange of slots, of at most 256 bytes per rank; allocates in every call: what is
/// called often is an exscan_plan.
/// @tparam Out the result type, as in all_reduce. May be left out with user_operator()
/// @param op  a built-in operator, user_operator(...) or make_operation(...) (rankfold/user_operator.hpp)
template <class Out = void, class Op, class In>
[[nodiscard]] auto exscan(const communicator& comm, const Op& op, const In& value,
                          const exscan_options<detail::call_result_t<Out, Op, In>>& options = {},
                          const execution& execution = {})
{
    detail::call_result_t<Out, Op, In> prefix{};
    detail::exscan_once(comm, detail::operation_for<In, decltype(prefix)>(op),
                        {.kind = call_kind::exscan,
                         .input = detail::type_spec_of<In>(),
                         .output = detail::type_spec_of<decltype(prefix)>(),
                         .init = detail::to_init(options.init),
                         .accuracy = options.accuracy},
                        &value, &prefix, options.total, execution);
    return prefix;
}

template <class Out>
struct exscan_plan_options {
    int values = 1; ///< independent values per rank, 1 to 1024; the same on all ranks
    std::optional<Out> init{};
    std::optional<rankfold::accuracy> accuracy{}; ///< as in reduce_options
};

/// An exscan prepared once and executed many times, on memory of the communicator's backend. Move-only; keeps
/// what it needs of the communicator alive.
template <class In, class Out = In>
class exscan_plan {
public:
    /// Collective; as the constructor of reduce_plan.
    /// @throws error (usage, mismatch, out_of_memory) on every rank; a plan with neither init nor identity is
    /// refused
    template <class Op>
    exscan_plan(const communicator& comm, const Op& op, const exscan_plan_options<Out>& options = {},
                const execution& where = {})
        : plan_(comm, detail::operation_for<In, Out>(op),
                {.kind = call_kind::exscan,
                 .input = detail::type_spec_of<In>(),
                 .output = detail::type_spec_of<Out>(),
                 .results = options.values,
                 .init = detail::to_init(options.init),
                 .accuracy = options.accuracy},
                where)
    {
    }

    /// prefixes[i] = fold of values[i] over the lower ranks. Collective: all ranks, in the same order of
    /// calls. Memory: options.values elements each, of the backend; they must live, and `values` keep what it
    /// holds, until the call has ended on the stream. Stream: ordered on execution.stream; returns before
    /// completion (host backend, transport mpi: waits). Cost: one exchange of at most 32 KiB per rank;
    /// allocates no memory of the backend.
    /// @throws error as reduce_plan::execute
    void execute(const In* values, Out* prefixes, const execution& execution = {})
    {
        plan_.exscan(values, prefixes, nullptr, execution);
    }
    /// Also totals[i], where `totals` is not null: the fold of values[i] over all ranks.
    void execute(const In* values, Out* prefixes, Out* totals, const execution& execution = {})
    {
        plan_.exscan(values, prefixes, totals, execution);
    }
    /// Bytes of the backend's memory that the plan holds.
    [[nodiscard]] std::size_t workspace_bytes() const noexcept { return plan_.workspace_bytes(); }

private:
    detail::plan plan_;
};

} // namespace rankfold
