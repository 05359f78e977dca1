// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions over the global array: reduce, all_reduce, min_loc, max_loc, and reduce_plan.
#pragma once

#include "rankfold/plan.hpp"

#include <vector>

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
/// Edge: an empty global array gives init, or else the operator's identity.
/// Memory: host memory (staged through the GPU on the cuda backend), or device memory with `.stream`.
/// Stream: waits for `.stream` and for the result.
/// Cost: reads each element once; one exchange of slots.
/// Determinism: an exact sum (rankfold/accuracy.hpp) is rounded once, hence the same bits for any order, rank
/// count and pieces. Otherwise bits repeat for the same rank count and piece lengths, whatever the thread
/// count, GPU or transport; the error of a plain sum is that of blocked summation: about (log2(N) + block)
/// eps sum|x|, never N eps. Exact sums that span more than 160 powers of two take a second exchange.
/// @tparam Out the result type; chooses the accumulator (rankfold/permitted.hpp)
/// @throws error (usage) naming argument, value and rank, on every rank; (mismatch) with a table of the
/// ranks' calls; (timeout) naming the missing ranks
template <class Out, operator_id Id, class In, std::size_t Extent>
[[nodiscard]] Out all_reduce(const communicator& comm, builtin_operator<Id> /*op*/,
                             std::span<In, Extent> input, const reduce_options<Out>& options = {},
                             const execution& execution = {})
{
    Out result{};
    const detail::plan_spec spec{
        .kind = call_kind::all_reduce, .init = detail::to_init(options.init), .accuracy = options.accuracy};
    detail::reduce_once(comm, detail::builtin_operation_for<Id, In, Out>(), spec,
                        {input.data(), static_cast<std::int64_t>(input.size())}, &result, execution);
    return result;
}

/// Like all_reduce; only the rank `root` gets the result, the others an empty optional.
template <class Out, operator_id Id, class In, std::size_t Extent>
std::optional<Out> reduce(const communicator& comm, builtin_operator<Id> /*op*/, std::span<In, Extent> input,
                          int root, const reduce_options<Out>& options = {}, const execution& execution = {})
{
    Out result{};
    const detail::plan_spec spec{.kind = call_kind::reduce,
                                 .root = root,
                                 .init = detail::to_init(options.init),
                                 .accuracy = options.accuracy};
    detail::reduce_once(comm, detail::builtin_operation_for<Id, In, Out>(), spec,
                        {input.data(), static_cast<std::int64_t>(input.size())}, &result, execution);
    return comm.rank() == root ? std::optional<Out>(result) : std::nullopt;
}

/// The operators that find where an extreme is: call them, or give them to a reduce_plan<T, located<T>>.
template <operator_id Id>
struct location_operator : builtin_operator<Id> {
    /// The extreme value of the global array and the global index of its first occurrence; the first NaN if
    /// there is one. Collective, memory, stream, cost as all_reduce. Edge: index -1 where the global array is
    /// empty.
    template <class In, std::size_t Extent>
    [[nodiscard]] auto operator()(const communicator& comm, std::span<In, Extent> input,
                                  const execution& execution = {}) const
    {
        return all_reduce<located<std::remove_const_t<In>>>(comm, *this, input, {}, execution);
    }
};
inline constexpr location_operator<operator_id::min_loc> min_loc{};
inline constexpr location_operator<operator_id::max_loc> max_loc{};

template <class Out>
struct reduce_plan_options {
    std::int64_t max_count =
        0;           ///< elements of this rank's largest piece; 0: any, workspace of the largest kind
    int results = 1; ///< pieces reduced in one call
    std::optional<Out> init{};
    std::optional<int> root{};                    ///< empty: every rank gets the results
    std::optional<rankfold::accuracy> accuracy{}; ///< as in reduce_options
};

/// A reduction prepared once and executed many times, on memory of the communicator's backend.
template <class In, class Out = In>
class reduce_plan {
public:
    /// Collective; compares the plans of the ranks, allocates, loads kernels.
    /// @throws error (usage, mismatch, out_of_memory) on every rank
    template <operator_id Id>
    reduce_plan(const communicator& comm, builtin_operator<Id> /*op*/,
                const reduce_plan_options<Out>& options = {}, const execution& where = {})
        : reduce_plan(comm, detail::builtin_operation_for<Id, In, Out>(), options, where)
    {
    }
    /// With an operation made from a user algebra (rankfold/host/operation.hpp,
    /// rankfold/device/operation.cuh).
    reduce_plan(const communicator& comm, const operation& op, const reduce_plan_options<Out>& options = {},
                const execution& where = {})
        : plan_(comm, op,
                {.kind = options.root ? call_kind::reduce : call_kind::all_reduce,
                 .max_count = options.max_count,
                 .results = options.results,
                 .root = options.root,
                 .init = detail::to_init(options.init),
                 .accuracy = options.accuracy},
                where)
    {
        pieces_.reserve(static_cast<std::size_t>(options.results));
    }

    /// Reduces the global array made of every rank's `count` elements at `in` into `*result`.
    /// Collective, shapes, edge, determinism: as all_reduce. Memory: that of the backend; `result` accessible
    /// to the device, written on the root only if the plan has one. Stream: ordered on execution.stream;
    /// returns before completion (host backend, transport mpi: waits). Cost: reads each element once; one
    /// exchange; allocates no memory of the backend.
    void execute(const In* in, std::int64_t count, Out* result, const execution& execution = {})
    {
        const detail::untyped_piece piece{in, count};
        plan_.reduce({&piece, 1}, result, execution);
    }
    /// Several global arrays in one exchange: results[i] is the reduction of inputs[i] over the ranks. There
    /// are options.results inputs, on every rank.
    void execute(std::span<const std::span<const In>> inputs, Out* results, const execution& execution = {})
    {
        pieces_.clear();
        for (const auto& input : inputs) {
            pieces_.push_back({input.data(), static_cast<std::int64_t>(input.size())});
        }
        plan_.reduce(pieces_, results, execution);
    }
    [[nodiscard]] std::size_t workspace_bytes() const noexcept { return plan_.workspace_bytes(); }

private:
    detail::plan plan_;
    std::vector<detail::untyped_piece> pieces_; // of a call on several arrays
};

} // namespace rankfold
