// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine.hpp"
#include "host_backend/floating_environment.hpp"
#include "init_text.hpp"

#include <algorithm>
#include <new>

namespace rankfold::detail {
namespace {

CUstream_st* stream_of(const execution& where)
{
    return where.stream.value_or(nullptr);
}

} // namespace

call_facts facts_of(const operation& op, const plan_spec& spec, std::uint32_t plan)
{
    const host::floating_environment ours; // else an init below the normal numbers may read as 0
    fingerprint head{};
    head.kind = spec.kind;
    head.op = op.op;
    head.input = op.input;
    head.accumulator = op.accumulator;
    head.output = op.output;
    head.options =
        static_cast<std::uint8_t>((spec.init.given ? option_init : 0) | (op.exact ? option_exact : 0));
    const int root = spec.root.value_or(0);
    head.digest = short_hash(hash_of_number(static_cast<std::uint64_t>(root), spec.init.hash));
    head.records = static_cast<std::uint16_t>(spec.results);
    head.record_bytes = static_cast<std::uint16_t>(record_bytes(op.accumulator_bytes));
    head.plan = plan;
    head.operators = op.op == operator_id::user ? short_hash(op.operator_hash) : 0;
    return {head, init_text(op.output, spec.init), root};
}

engine::engine(std::shared_ptr<communicator_state> communicator, const operation& operation,
               const plan_spec& wanted, std::uint32_t plan)
    : comm(std::move(communicator)), op(operation), spec(wanted), facts(facts_of(op, spec, plan))
{
    const bool scans = spec.kind == call_kind::inclusive_scan || spec.kind == call_kind::exclusive_scan;
    attempt([&] {
        area = comm->make_buffers(facts.head);
        workspace = backend_memory(
            comm, phases().workspace_bytes(scans ? spec.max_count : 0, comm->place_on(nullptr, 0)));
        carry = backend_memory(comm, area.head.record_bytes);
        if (op.wide_bytes > 0) {
            fingerprint head = facts.head;
            head.records = 1;
            head.record_bytes = op.wide_bytes;
            wide_area = comm->make_buffers(head);
            wide = backend_memory(comm, static_cast<std::size_t>(spec.results) * op.wide_bytes);
        }
    });
}

void engine::attempt(const std::function<void()>& action)
{
    try {
        if (problem.empty()) {
            action();
        }
    } catch (const error& failure) {
        problem = failure.text();
        code = failure.code();
    } catch (const std::bad_alloc&) {
        problem = "memory was asked for and refused";
        code = errc::out_of_memory;
    }
}

std::size_t engine::workspace_bytes() const noexcept
{
    return workspace.bytes() + carry.bytes() + wide.bytes() + area.bytes() + wide_area.bytes();
}

fold_task engine::fold_all() const
{
    return {.slots = area.slot_of(0),
            .records = area.records_of(0),
            .stride = area.stride(),
            .record_count = spec.results,
            .rank = comm->rank,
            .ranks = comm->size,
            .init = spec.init,
            .must_have_value = !op.has_identity && !spec.init.given};
}

void engine::conclude(const communicator_state::call_scope& call, const fold_task& fold, const place& here)
{
    comm->exchange(call, area, here.stream);
    if (op.wide_bytes == 0) {
        return phases().fold(op, fold, here);
    }
    for (int k = 0; k < spec.results; ++k) {
        conclude_exactly(call, fold, k, here);
    }
}

void engine::conclude_exactly(const communicator_state::call_scope& call, const fold_task& fold, int result,
                              const place& here)
{
    const auto k = static_cast<std::size_t>(result);
    fold_task one = fold;
    one.records += k * area.head.record_bytes;
    one.record_count = 1;
    one.total = fold.total ? static_cast<std::byte*>(fold.total) + k * op.output_bytes : nullptr;
    if (phases().needs_wide(op, one)) { // all ranks see the same records
        comm->copy(wide_area.records_of(comm->rank), wide_of(k), op.wide_bytes, here.stream);
        comm->exchange(call, wide_area, here.stream);
        one.wide = wide_area.records_of(0);
        one.wide_stride = wide_area.stride();
    }
    phases().fold(op, one, here);
}

std::byte* engine::wide_of(std::size_t result) const noexcept
{
    auto* records = static_cast<std::byte*>(wide.data());
    return records ? records + result * op.wide_bytes : nullptr;
}

void engine::reduce(std::span<const untyped_piece> inputs, void* results, const execution& where,
                    const std::string& call_problem)
{
    const communicator_state::call_scope call(*comm, facts, where, problem.empty() ? call_problem : problem,
                                              problem.empty() ? errc::usage : code);
    const host::floating_environment ours;
    const place here = comm->place_on(stream_of(where), call.number());
    if (call.has_problem()) {
        return comm->refuse(call, here.stream);
    }
    fold_task fold = fold_all();
    fold.total = spec.root.value_or(comm->rank) == comm->rank ? results : nullptr;
    const std::optional<conclusion> in_kernel = comm->conclusion_in_kernel(call, area, fold);

    std::byte* record = area.records_of(comm->rank);
    std::size_t done = 0;
    for (const untyped_piece& piece : inputs) {
        const bool last = &piece == &inputs.back();
        phases().reduce(op,
                        {.input = piece.data,
                         .count = piece.count,
                         .record = record,
                         .workspace = workspace.data(),
                         .then = last && in_kernel ? &*in_kernel : nullptr,
                         .wide = wide_of(done++)},
                        here);
        record += area.head.record_bytes;
    }
    if (!in_kernel) {
        conclude(call, fold, here);
    }
}

void engine::scan(const void* in, void* out, std::int64_t count, void* total, const execution& where,
                  const std::string& call_problem)
{
    const communicator_state::call_scope call(*comm, facts, where, problem.empty() ? call_problem : problem,
                                              problem.empty() ? errc::usage : code);
    const host::floating_environment ours;
    const place here = comm->place_on(stream_of(where), call.number());
    if (call.has_problem()) {
        return comm->refuse(call, here.stream);
    }
    fold_task fold = fold_all();
    fold.must_have_value = false; // scans of empty pieces write nothing, and are right
    fold.carry = static_cast<std::byte*>(carry.data());
    fold.total = total;
    const std::optional<conclusion> in_kernel = comm->conclusion_in_kernel(call, area, fold);
    const scan_task task{.input = in,
                         .output = out,
                         .count = count,
                         .inclusive = spec.kind == call_kind::inclusive_scan,
                         .record = area.records_of(comm->rank),
                         .carry = fold.carry,
                         .init = spec.init,
                         .total = total,
                         .workspace = workspace.data(),
                         .then = in_kernel ? &*in_kernel : nullptr};

    if (comm->size == 1) {
        return phases().scan(op, task, here); // nobody else's carry: one pass
    }
    phases().tile_reduce(op, task, here);
    if (!in_kernel) {
        conclude(call, fold, here);
    }
    phases().tile_scan(op, task, here);
}

void engine::exscan(const void* values, void* prefixes, void* totals, const execution& where,
                    const std::string& call_problem)
{
    const communicator_state::call_scope call(*comm, facts, where, problem.empty() ? call_problem : problem,
                                              problem.empty() ? errc::usage : code);
    const host::floating_environment ours;
    const place here = comm->place_on(stream_of(where), call.number());
    if (call.has_problem()) {
        return comm->refuse(call, here.stream);
    }
    fold_task fold = fold_all();
    fold.prefix = prefixes;
    fold.total = totals;
    const std::optional<conclusion> in_kernel = comm->conclusion_in_kernel(call, area, fold);

    phases().lift(op,
                  {.values = values,
                   .count = spec.results,
                   .records = area.records_of(comm->rank),
                   .then = in_kernel ? &*in_kernel : nullptr},
                  here);
    if (!in_kernel) {
        conclude(call, fold, here);
    }
}

} // namespace rankfold::detail
