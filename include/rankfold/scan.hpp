// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prefix scans over the global array: inclusive_scan, exclusive_scan, and scan_plan.
#pragma once

#include "rankfold/plan.hpp"

namespace rankfold {

/// out[i] folds x_0 ... x_i, or x_0 ... x_{i-1}.
enum class scan_kind : std::uint8_t { inclusive, exclusive };
inline constexpr scan_kind inclusive = scan_kind::inclusive;
inline constexpr scan_kind exclusive = scan_kind::exclusive;

template <class Out>
struct scan_options {
    std::optional<Out> init{}; ///< enters once, at the left end of the global array; equal on all ranks
    Out* total =
        nullptr; ///< where to write the fold of the whole array with init, for nothing extra (host memory)
};

namespace detail {
template <operator_id Id, class In, class Out>
void scan_once_typed(const communicator& comm, call_kind kind, std::span<In> in, std::span<Out> out,
                     const scan_options<Out>& options, const execution& execution)
{
    scan_once(comm, builtin_operation_for<Id, In, Out>(), {.kind = kind, .init = to_init(options.init)},
              in.data(), static_cast<std::int64_t>(in.size()), out.data(),
              static_cast<std::int64_t>(out.size()), options.total, execution);
}
} // namespace detail

/// out_i = op(init, x_0, ..., x_i) with i the global index, folded in global index order.
/// Collective: all ranks of `comm`, in the same order of calls.
/// Shapes: n_r >= 0 elements per rank, may differ; `out` has n_r; in == out (equal element sizes) or
/// disjoint. Edge: empty pieces write nothing. Memory, stream: as all_reduce. Determinism: too, but that on
/// one rank floating scans of 48 MiB and more have other bits by code for compute capability 9.0 and later
/// than by code for earlier ones. Cost: one rank reads and writes each element once; more ranks read it
/// twice. One exchange of slots.
/// @throws error as all_reduce
template <operator_id Id, class In, std::size_t InExtent, class Out, std::size_t OutExtent>
void inclusive_scan(const communicator& comm, builtin_operator<Id> /*op*/, std::span<In, InExtent> in,
                    std::span<Out, OutExtent> out, const scan_options<Out>& options = {},
                    const execution& execution = {})
{
    detail::scan_once_typed<Id, In, Out>(comm, call_kind::inclusive_scan, in, out, options, execution);
}

/// out_i = op(init, x_0, ..., x_{i-1}); out_0 = init, or else the operator's identity. Otherwise as
/// inclusive_scan.
template <operator_id Id, class In, std::size_t InExtent, class Out, std::size_t OutExtent>
void exclusive_scan(const communicator& comm, builtin_operator<Id> /*op*/, std::span<In, InExtent> in,
                    std::span<Out, OutExtent> out, const scan_options<Out>& options = {},
                    const execution& execution = {})
{
    detail::scan_once_typed<Id, In, Out>(comm, call_kind::exclusive_scan, in, out, options, execution);
}

template <class Out>
struct scan_plan_options {
    std::int64_t max_count = 0; ///< elements of this rank's largest piece
    std::optional<Out> init{};
};

/// A scan prepared once and executed many times, on memory of the communicator's backend.
template <class In, class Out = In>
class scan_plan {
public:
    /// Collective; compares the plans of the ranks, allocates for max_count, loads kernels.
    /// @throws error (usage, mismatch, out_of_memory) on every rank; an exclusive scan with neither init nor
    /// identity is refused
    template <operator_id Id>
    scan_plan(const communicator& comm, scan_kind kind, builtin_operator<Id> /*op*/,
              const scan_plan_options<Out>& options = {}, const execution& where = {})
        : scan_plan(comm, kind, detail::builtin_operation_for<Id, In, Out>(), options, where)
    {
    }
    /// With an operation made from a user algebra.
    scan_plan(const communicator& comm, scan_kind kind, const operation& op,
              const scan_plan_options<Out>& options = {}, const execution& where = {})
        : plan_(comm, op,
                {.kind = kind == inclusive ? call_kind::inclusive_scan : call_kind::exclusive_scan,
                 .max_count = options.max_count,
                 .init = detail::to_init(options.init)},
                where)
    {
    }

    /// Scans `count` <= max_count elements of this rank. Collective, shapes, edge, determinism: as
    /// inclusive_scan. Stream: ordered on execution.stream; returns before completion (host backend,
    /// transport mpi: waits). Cost: as inclusive_scan; allocates no memory of the backend.
    void execute(const In* in, Out* out, std::int64_t count, const execution& execution = {})
    {
        plan_.scan(in, out, count, nullptr, execution);
    }
    /// Also writes the fold of the whole array with init to `*total` (accessible to the device) on every
    /// rank.
    void execute(const In* in, Out* out, std::int64_t count, Out* total, const execution& execution = {})
    {
        plan_.scan(in, out, count, total, execution);
    }
    [[nodiscard]] std::size_t workspace_bytes() const noexcept { return plan_.workspace_bytes(); }

private:
    detail::plan plan_;
};

} // namespace rankfold
