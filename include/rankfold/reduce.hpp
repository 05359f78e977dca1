// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions over the global array: reduce, all_reduce, min_loc, max_loc, and reduce_plan.
#pragma once

#include "rankfold/plan.hpp"

namespace rankfold {

template <class Out>
struct reduce_options {
    std::optional<Out> init{}; ///< enters once, at the left end of the global array; equal on all ranks
    /// Sums of floating and complex numbers; not given: exact on the host backend, plain on cuda.
    std::optional<rankfold::accuracy> accuracy{};
};

/// Folds the global array: op(x_0, x_1, ..., x_{N-1}) in global index order, on every rank.
/// Collective: all ranks of `comm`, in the same order of calls.
/// Shapes: n_r >= 0 elements per rank, may differ; the same operator, types and init on all ranks.
/// Edge: an empty global array gives init, or else the operator's identity; without either it is an error
/// (usage). Memory: host memory (staged through the GPU on the cuda backend), or device memory with
/// `.stream`. Not written. Stream: waits for `.stream` and for the result. Cost: reads each element once; one
/// exchange of slots. Allocates workspace, and on the cuda backend room for a copy of host memory, in every
/// call: what is called often is a reduce_plan. Determinism: an exact sum (rankfold/accuracy.hpp) is rounded
/// once, hence the same bits for any order, rank count and pieces. Otherwise bits repeat for the same rank
/// count and piece lengths, whatever the thread count, GPU or transport; the error of a plain sum is that of
/// blocked summation: about (log2(N) + block) eps sum|x|, never N eps. Exact sums that span more than 160
/// powers of two take a second exchange.
/// @tparam Out the result type; chooses the accumulator (rankfold/permitted.hpp). May be left out with
/// user_operator(): then it is the elements' type
/// @param op  a built-in operator, user_operator(...) or make_operation(...) (rankfold/user_operator.hpp)
/// @throws error (usage) naming argument, value and rank, on every rank; (mismatch) with a table of the
/// ranks' calls; (timeout) naming the missing ranks; (failed) if the communicator had failed before
template <class Out = void, class Op, class In, std::size_t Extent>
[[nodiscard]] auto all_reduce(const communicator& comm, const Op& op, std::span<In, Extent> input,
                              const reduce_options<detail::call_result_t<Out, Op, In>>& options = {},
                              const execution& execution = {})
{
    detail::call_result_t<Out, Op, In> result{};
    const detail::plan_spec spec{.kind = call_kind::all_reduce,
                                 .input = detail::type_spec_of<In>(),
                                 .output = detail::type_spec_of<decltype(result)>(),
                                 .init = detail::to_init(options.init),
                                 .accuracy = options.accuracy};
    detail::reduce_once(comm, detail::operation_for<In, decltype(result)>(op), spec,
                        {input.data(), static_cast<std::int64_t>(input.size())}, &result, execution);
    return result;
}

/// Like all_reduce; only the rank `root` gets the result, the others an empty optional.
/// @param root  0 to size - 1, the same on all ranks
template <class Out = void, class Op, class In, std::size_t Extent>
auto reduce(const communicator& comm, const Op& op, std::span<In, Extent> input, int root,
            const reduce_options<detail::call_result_t<Out, Op, In>>& options = {},
            const execution& execution = {})
{
    using result_type = detail::call_result_t<Out, Op, In>;
    result_type result{};
    const detail::plan_spec spec{.kind = call_kind::reduce,
                                 .input = detail::type_spec_of<In>(),
                                 .output = detail::type_spec_of<result_type>(),
                                 .root = root,
                                 .init = detail::to_init(options.init),
                                 .accuracy = options.accuracy};
    detail::reduce_once(comm, detail::operation_for<In, result_type>(op), spec,
                        {input.data(), static_cast<std::int64_t>(input.size())}, &result, execution);
    return comm.rank() == root ? std::optional<result_type>(result) : std::nullopt;
}

/// The operators that find where an extreme is: call them, or give them to a reduce_plan<T, located<T>>.
template <operator_id Id>
struct location_operator : builtin_operator<Id> {
    /// The extreme value of the global array and the global index of its first occurrence; the first NaN if
    /// there is one. Edge: index -1 where the global array is empty. Collective, memory, stream, cost,
    /// errors: as all_reduce.
    template <class In, std::size_t Extent>
    [[nodiscard]] auto operator()(const communicator& comm, std::span<In, Extent> input,
                                  const execution& execution = {}) const
    {
        return all_reduce<located<std::remove_const_t<In>>>(comm, *this, input, {}, execution);
    }
};
/// The smallest value and its first place: `const auto [value, index] = min_loc(comm, std::span(x));`
inline constexpr location_operator<operator_id::min_loc> min_loc{};
/// The largest value and its first place.
inline constexpr location_operator<operator_id::max_loc> max_loc{};

template <class Out>
struct reduce_plan_options {
    /// Elements of this rank's largest piece; may differ between ranks. For reductions it is optional: 0 is
    /// any piece, for a workspace that does not grow with it. (For scans it is required.)
    std::int64_t max_count = 0;
    int results = 1; ///< global arrays reduced in one call, 1 to 1024; the same on all ranks
    std::optional<Out> init{};
    std::optional<int> root{};                    ///< empty: every rank gets the results
    std::optional<rankfold::accuracy> accuracy{}; ///< as in reduce_options
};

/// A reduction prepared once and executed many times, on memory of the communicator's backend. Move-only;
/// keeps what it needs of the communicator alive.
template <class In, class Out = In>
class reduce_plan {
public:
    /// Collective; compares the plans of the ranks, allocates, loads kernels, and waits until the GPU has
    /// done what it was given before.
    /// @param op     a built-in operator, user_operator(...) or make_operation(...)
    /// (rankfold/user_operator.hpp)
    /// @param where  label and source line for errors; its stream is not used
    /// @throws error (usage, mismatch, out_of_memory) on every rank
    template <class Op>
    reduce_plan(const communicator& comm, const Op& op, const reduce_plan_options<Out>& options = {},
                const execution& where = {})
        : plan_(comm, detail::operation_for<In, Out>(op),
                {.kind = options.root ? call_kind::reduce : call_kind::all_reduce,
                 .input = detail::type_spec_of<In>(),
                 .output = detail::type_spec_of<Out>(),
                 .max_count = options.max_count,
                 .results = options.results,
                 .root = options.root,
                 .init = detail::to_init(options.init),
                 .accuracy = options.accuracy},
                where)
    {
    }

    /// Reduces the global array made of every rank's `count` elements at `in` into `*result`.
    /// Collective, shapes, edge, determinism: as all_reduce.
    /// Memory: that of the backend, `result` accessible to the device; both must live, and `in` keep its
    /// values, until the call has ended on the stream. `result` is written on the root only if the plan has
    /// one. Stream: ordered on execution.stream; returns before completion (host backend, transport mpi:
    /// waits). Cost: reads each element once; one exchange; allocates no memory of the backend.
    /// @throws error (usage, mismatch, timeout) as all_reduce where the call waits. Where it is queued, what
    /// other ranks did wrong is not known yet: it is thrown by the next call or by communicator::wait, and
    /// communicator::status tells of it; `*result` is then not written
    void execute(const In* in, std::int64_t count, Out* result, const execution& execution = {})
    {
        const detail::untyped_piece piece{in, count};
        plan_.reduce({&piece, 1}, result, execution);
    }
    /// Several global arrays in one exchange: results[i] is the reduction of inputs[i] over the ranks. There
    /// are options.results inputs, on every rank. The list of spans is in host memory and is read before the
    /// call returns; what it points to is memory of the backend. Otherwise as above.
    void execute(std::span<const std::span<const In>> inputs, Out* results, const execution& execution = {})
    {
        const std::span<detail::untyped_piece> room = plan_.pieces();
        for (std::size_t i = 0; i < inputs.size() && i < room.size(); ++i) {
            room[i] = {inputs[i].data(), static_cast<std::int64_t>(inputs[i].size())};
        }
        plan_.reduce({room.data(), inputs.size()}, results, execution); // refuses any other number of inputs
    }
    /// Bytes of the backend's memory that the plan holds.
    [[nodiscard]] std::size_t workspace_bytes() const noexcept { return plan_.workspace_bytes(); }

private:
    detail::plan plan_;
};

} // namespace rankfold
