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
    /// Where to write the fold of the whole array with init, for nothing extra. Host memory; null: not
    /// wanted.
    Out* total = nullptr;
};

namespace detail {
template <class Op, class In, class Out>
void scan_once_typed(const communicator& comm, call_kind kind, const Op& op, std::span<In> in,
                     std::span<Out> out, const scan_options<Out>& options, const execution& execution)
{
    scan_once(comm, operation_for<In, Out>(op),
              {.kind = kind,
               .input = type_spec_of<In>(),
               .output = type_spec_of<Out>(),
               .init = to_init(options.init)},
              in.data(), static_cast<std::int64_t>(in.size()), out.data(),
              static_cast<std::int64_t>(out.size()), options.total, execution);
}
} // namespace detail

/// out_i = op(init, x_0, ..., x_i) with i the global index, folded in global index order.
/// Collective: all ranks of `comm`, in the same order of calls.
/// Shapes: n_r >= 0 elements per rank, may differ; `out` has n_r; in == out (equal element sizes) or
/// disjoint. Edge: empty pieces write nothing. Memory, stream: as all_reduce. Determinism: as all_reduce.
/// Exception: on one rank, floating scans from 48 MiB on have other bits by code for compute capability 9.0
/// and later than by older code. Cost: one rank reads and writes each element once; more ranks read it twice.
/// One exchange of slots. Allocates in every call, as all_reduce: what is called often is a scan_plan.
/// @param op  a built-in operator, user_operator(...) or make_operation(...) (rankfold/user_operator.hpp)
/// @throws error as all_reduce
/// Source: D. Merrill and M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016 (one
/// GPU).
template <class Op, class In, std::size_t InExtent, class Out, std::size_t OutExtent>
void inclusive_scan(const communicator& comm, const Op& op, std::span<In, InExtent> in,
                    std::span<Out, OutExtent> out, const scan_options<Out>& options = {},
                    const execution& execution = {})
{
    detail::scan_once_typed<Op, In, Out>(comm, call_kind::inclusive_scan, op, in, out, options, execution);
}

/// out_i = op(init, x_0, ..., x_{i-1}); out_0 = init, or else the operator's identity; without either it is
/// an error (usage). Otherwise as inclusive_scan.
template <class Op, class In, std::size_t InExtent, class Out, std::size_t OutExtent>
void exclusive_scan(const communicator& comm, const Op& op, std::span<In, InExtent> in,
                    std::span<Out, OutExtent> out, const scan_options<Out>& options = {},
                    const execution& execution = {})
{
    detail::scan_once_typed<Op, In, Out>(comm, call_kind::exclusive_scan, op, in, out, options, execution);
}

template <class Out>
struct scan_plan_options {
    /// Elements of this rank's largest piece; may differ between ranks. Required: with 0, the default, only
    /// empty pieces can be scanned, since the workspace grows with it (by at most 1 % of the input).
    std::int64_t max_count = 0;
    std::optional<Out> init{};
};

/// A scan prepared once and executed many times, on memory of the communicator's backend. Move-only; keeps
/// what it needs of the communicator alive.
template <class In, class Out = In>
class scan_plan {
public:
    /// Collective; compares the plans of the ranks, allocates for max_count, loads kernels, and waits until
    /// the GPU has done what it was given before.
    /// @param op     a built-in operator, user_operator(...) or make_operation(...)
    /// (rankfold/user_operator.hpp)
    /// @param where  label and source line for errors; its stream is not used
    /// @throws error (usage, mismatch, out_of_memory) on every rank; an exclusive scan with neither init nor
    /// identity is refused
    template <class Op>
    scan_plan(const communicator& comm, scan_kind kind, const Op& op,
              const scan_plan_options<Out>& options = {}, const execution& where = {})
        : plan_(comm, detail::operation_for<In, Out>(op),
                {.kind = kind == inclusive ? call_kind::inclusive_scan : call_kind::exclusive_scan,
                 .input = detail::type_spec_of<In>(),
                 .output = detail::type_spec_of<Out>(),
                 .max_count = options.max_count,
                 .init = detail::to_init(options.init)},
                where)
    {
    }

    /// Scans `count` <= max_count elements of this rank. Collective, shapes, edge, determinism, cost: as
    /// inclusive_scan, but that it allocates no memory of the backend.
    /// Memory: that of the backend; it must live, and `in` keep its values, until the call has ended on the
    /// stream. Stream: ordered on execution.stream; returns before completion (host backend, transport mpi:
    /// waits).
    /// @throws error (usage, mismatch, timeout) as all_reduce where the call waits. Where it is queued, what
    /// other ranks did wrong is not known yet: it is thrown by the next call or by communicator::wait, and
    /// communicator::status tells of it; what `out` holds is then undefined
    void execute(const In* in, Out* out, std::int64_t count, const execution& execution = {})
    {
        plan_.scan(in, out, count, nullptr, execution);
    }
    /// Also writes the fold of the whole array with init to `*total` on every rank. `total` is memory of the
    /// backend, accessible to the device.
    void execute(const In* in, Out* out, std::int64_t count, Out* total, const execution& execution = {})
    {
        plan_.scan(in, out, count, total, execution);
    }
    /// Bytes of the backend's memory that the plan holds.
    [[nodiscard]] std::size_t workspace_bytes() const noexcept { return plan_.workspace_bytes(); }

private:
    detail::plan plan_;
};

} // namespace rankfold
