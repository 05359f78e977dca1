// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The two stories, whatever the backend and the transport. A call is always
//     local phase -> exchange -> (scan only) second local phase
// The engine holds what one kind of call needs; plans keep one, one-shot calls make one.
#pragma once

#include "check.hpp"

#include <functional>

namespace rankfold::detail {

/// The form of an operation in which calls of this spec are computed: that of its accuracy. A form that there
/// is not is refused by check_spec.
operation form_of(const communicator_state& comm, const operation& op, const plan_spec& spec);

/// The fingerprint and the init of calls with this operation and spec.
/// @param plan  number of the plan; 0: a one-shot call
call_facts facts_of(const operation& op, const plan_spec& spec, std::uint32_t plan);

struct engine {
    /// Allocates; not collective. Where memory is short `problem` says so, and the call can still tell the
    /// others.
    engine(std::shared_ptr<communicator_state> communicator, const operation& operation,
           const plan_spec& wanted, std::uint32_t plan);

    // All ordered on `where.stream`. `call_problem` is why this rank cannot take part with data, or
    // empty.
    void reduce(std::span<const untyped_piece> inputs, void* results, const execution& where,
                const std::string& call_problem);
    void scan(const void* in, void* out, std::int64_t count, void* total, const execution& where,
              const std::string& call_problem);
    void exscan(const void* values, void* prefixes, void* totals, const execution& where,
                const std::string& call_problem);

    [[nodiscard]] const local_phases& phases() const noexcept { return comm->on_gpu() ? op.device : op.host; }
    [[nodiscard]] std::size_t workspace_bytes() const noexcept;

    std::shared_ptr<communicator_state> comm;
    operation op;
    plan_spec spec;
    call_facts facts;
    exchange_buffers area;
    backend_memory workspace;
    backend_memory carry;            ///< one record
    exchange_buffers wide_area;      ///< exact sums: the wide records of all ranks for one result
    backend_memory wide;             ///< exact sums: this rank's wide records, one for each result
    std::string problem;             ///< why this rank cannot take part with data, or empty
    errc code = errc::out_of_memory; ///< of the problem

    /// Runs something that may fail on this rank alone, and keeps why.
    void attempt(const std::function<void()>& action);

private:
    [[nodiscard]] fold_task fold_all() const;
    /// What no local phase did: exchange and fold by themselves.
    void conclude(const communicator_state::call_scope& call, const fold_task& fold, const place& here);
    /// Folds one result of an exact sum; before that, where records do not hold it, wide ones are exchanged.
    void conclude_exactly(const communicator_state::call_scope& call, const fold_task& fold, int result,
                          const place& here);
    [[nodiscard]] std::byte* wide_of(std::size_t result) const noexcept;
};

} // namespace rankfold::detail
