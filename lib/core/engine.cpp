// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine.hpp"
#include "init_text.hpp"

#include <algorithm>

namespace rankfold::detail {
namespace {

/// FNV-1a (Fowler, Noll, Vo).
std::uint32_t digest(std::span<const std::byte> bytes, std::uint32_t hash)
{
    for (const std::byte byte : bytes) {
        hash = (hash ^ static_cast<std::uint8_t>(byte)) * 16777619u;
    }
    return hash;
}

CUstream_st* stream_of(const execution& where)
{
    return where.stream.value_or(nullptr);
}

} // namespace

call_facts facts_of(const operation& op, const plan_spec& spec)
{
    fingerprint head{};
    head.kind = spec.kind;
    head.op = op.op;
    head.input = op.input;
    head.accumulator = op.accumulator;
    head.output = op.output;
    head.options = spec.init.given ? 1 : 0;
    const int root = spec.root.value_or(0);
    const std::size_t init_bytes = spec.init.given ? op.output_bytes : 0;
    head.digest = digest(std::as_bytes(std::span(&root, 1)),
                         digest(std::span(spec.init.bytes).first(init_bytes), 2166136261u));
    head.records = static_cast<std::uint16_t>(spec.results);
    head.record_bytes = static_cast<std::uint16_t>(record_bytes(op.accumulator_bytes));
    return {head, init_text(op.output, spec.init), root};
}

engine::engine(std::shared_ptr<communicator_state> communicator, const operation& operation,
               const plan_spec& wanted)
    : comm(std::move(communicator)), op(operation), spec(wanted), facts(facts_of(op, spec)),
      area(comm->make_area(facts.head))
{
    const bool scans = spec.kind == call_kind::inclusive_scan || spec.kind == call_kind::exclusive_scan;
    try {
        workspace = backend_memory(
            comm, phases().workspace_bytes(scans ? spec.max_count : 0, comm->place_on(nullptr, 0)));
        carry = backend_memory(comm, area.head.record_bytes);
    } catch (const error& failure) {
        problem = failure.text();
    }
}

std::size_t engine::workspace_bytes() const noexcept
{
    return workspace.bytes() + carry.bytes() + area.slots.bytes() + area.wide.bytes();
}

fold_task engine::fold_all() const
{
    const bool packed = area.slot_stride == sizeof(slot);
    return {.slots = packed ? area.slot_of(0) : nullptr, // wider ones were compared by the exchange itself
            .records = area.records_of(0),
            .stride = area.stride(),
            .record_count = spec.results,
            .rank = comm->rank,
            .ranks = comm->size,
            .init = spec.init,
            .must_have_value = !op.has_identity && !spec.init.given,
            .total = nullptr,
            .prefix = nullptr,
            .carry = nullptr};
}

void engine::reduce(std::span<const untyped_piece> inputs, void* results, const execution& where,
                    const std::string& call_problem)
{
    const communicator_state::call_scope call(*comm, facts, where, problem.empty() ? call_problem : problem);
    const place here = comm->place_on(stream_of(where), call.number());

    std::byte* record = area.records_of(comm->rank);
    for (std::size_t i = 0; !call.has_problem() && i < inputs.size(); ++i, record += area.head.record_bytes) {
        phases().reduce(op, {inputs[i].data, inputs[i].count, record, workspace.data()}, here);
    }
    comm->exchange(call, area, here.stream);

    fold_task fold = fold_all();
    fold.total = spec.root.value_or(comm->rank) == comm->rank ? results : nullptr;
    phases().fold(op, fold, here);
}

void engine::scan(const void* in, void* out, std::int64_t count, void* total, const execution& where,
                  const std::string& call_problem)
{
    const communicator_state::call_scope call(*comm, facts, where, problem.empty() ? call_problem : problem);
    const place here = comm->place_on(stream_of(where), call.number());
    const scan_task task{.input = in,
                         .output = out,
                         .count = count,
                         .inclusive = spec.kind == call_kind::inclusive_scan,
                         .record = area.records_of(comm->rank),
                         .carry = static_cast<std::byte*>(carry.data()),
                         .init = spec.init,
                         .total = total,
                         .workspace = workspace.data()};

    const bool alone = comm->size == 1;
    if (!alone && !call.has_problem()) {
        phases().tile_reduce(op, task, here);
    }
    comm->exchange(call, area, here.stream);
    if (alone) {
        return phases().scan(op, task, here); // nobody else's carry: one pass
    }

    fold_task fold = fold_all();
    fold.must_have_value = false; // scans of empty pieces write nothing, and are right
    fold.carry = static_cast<std::byte*>(carry.data());
    fold.total = total;
    phases().fold(op, fold, here);
    phases().tile_scan(op, task, here);
}

void engine::exscan(const void* values, void* prefixes, void* totals, const execution& where,
                    const std::string& call_problem)
{
    const communicator_state::call_scope call(*comm, facts, where, problem.empty() ? call_problem : problem);
    const place here = comm->place_on(stream_of(where), call.number());

    if (!call.has_problem()) {
        phases().lift(op, {values, spec.results, area.records_of(comm->rank)}, here);
    }
    comm->exchange(call, area, here.stream);

    fold_task fold = fold_all();
    fold.prefix = prefixes;
    fold.total = totals;
    phases().fold(op, fold, here);
}

} // namespace rankfold::detail
