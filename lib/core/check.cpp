// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"

#include <cstdint>
#include <cstdio>
#include <limits>

namespace rankfold::detail {
namespace {

constexpr int max_results = 1024;

std::string address(const void* data)
{
    char text[24];
    std::snprintf(text, sizeof text, "%p", data);
    return text;
}

/// True where a call asked for no type, or for this one.
bool is_type(const type_spec& asked, element_type type, std::uint64_t hash, std::size_t bytes)
{
    return asked.type == element_type::none || (asked.type == type && asked.bytes == bytes &&
                                                (asked.hash == 0 || hash == 0 || asked.hash == hash));
}

std::string type_text(element_type type, std::size_t bytes)
{
    return type == element_type::user ? "a user type of " + std::to_string(bytes) + " bytes"
                                      : std::string(to_string(type));
}

std::string_view to_string(accuracy wanted)
{
    switch (wanted) {
    case accuracy::exact:
        return "exact";
    case accuracy::plain:
        return "plain";
    }
    return "?";
}

bool is_scan(call_kind kind)
{
    return kind == call_kind::inclusive_scan || kind == call_kind::exclusive_scan;
}

bool overlap(const argument& a, const argument& b)
{
    const auto begin = [](const argument& x) { return reinterpret_cast<std::uintptr_t>(x.data); };
    const auto end = [&](const argument& x) {
        return begin(x) + static_cast<std::uintptr_t>(x.count) * x.element_bytes;
    };
    return a.count > 0 && b.count > 0 && begin(b) < end(a) && begin(a) < end(b);
}

std::string overlap_text(const argument& a, const argument& b)
{
    return std::string(a.name) + " and " + b.name + " overlap (" + address(a.data) + " and " +
           address(b.data) + ", " + std::to_string(a.count) + " and " + std::to_string(b.count) +
           " elements of " + std::to_string(a.element_bytes) + " and " + std::to_string(b.element_bytes) +
           " bytes)";
}

} // namespace

std::string check_spec(const communicator_state& comm, const operation& op, const plan_spec& spec)
{
    const std::string name = std::string(to_string(op.op)) + " of " + std::string(to_string(op.input)) +
                             " into " + std::string(to_string(op.output));
    const local_phases& phases = comm.on_gpu() ? op.device : op.host;
    if (!is_type(spec.input, op.input, op.input_hash, op.input_bytes) ||
        !is_type(spec.output, op.output, op.output_hash, op.output_bytes)) {
        return "the operation takes " + type_text(op.input, op.input_bytes) + " to " +
               type_text(op.output, op.output_bytes) + ", the call " +
               type_text(spec.input.type, spec.input.bytes) + " to " +
               type_text(spec.output.type, spec.output.bytes) + "; they must be the same";
    }
    const bool needs_left_end = spec.kind == call_kind::exclusive_scan || spec.kind == call_kind::exscan;
    if (phases.fold == nullptr && op.op == operator_id::user) {
        return name + " was not compiled for backend " + std::string(to_string(comm.backend)) +
               ": make the operation in a file that nvcc compiles (rankfold/user_operator.hpp)";
    }
    if (phases.fold == nullptr) {
        return name + " was not compiled for backend " + std::string(to_string(comm.backend)) +
               " (RANKFOLD_FULL compiles every permitted combination)";
    }
    if (spec.accuracy && !op.has_exact_form) {
        return "accuracy is " + std::string(to_string(*spec.accuracy)) + ", but " + name +
               " leaves nothing to choose: only sums of floating and complex numbers do";
    }
    if (spec.accuracy == accuracy::exact && !op.exact) {
        return "accuracy is exact, but backend " + std::string(to_string(comm.backend)) +
               " computes plain sums only: leave accuracy out, or take accuracy::plain";
    }
    if (is_scan(spec.kind) && !op.can_scan) {
        return name + " cannot be scanned, only reduced";
    }
    if (needs_left_end && !op.has_identity && !spec.init.given) {
        return name + " has no identity: an exclusive scan or exscan needs init";
    }
    if (spec.max_count < 0) {
        return "max_count is " + std::to_string(spec.max_count) + ", must be >= 0";
    }
    if (spec.results < 1 || spec.results > max_results) {
        return "results is " + std::to_string(spec.results) + ", must be 1 to " + std::to_string(max_results);
    }
    const std::size_t row_bytes = static_cast<std::size_t>(spec.results) * record_bytes(op.accumulator_bytes);
    if (row_bytes > max_row_bytes) {
        return "results is " + std::to_string(spec.results) + ", " + std::to_string(row_bytes) +
               " bytes of partials of " + name + "; at most " + std::to_string(max_row_bytes) +
               " bytes travel in one call";
    }
    if (spec.root && (*spec.root < 0 || *spec.root >= comm.size)) {
        return "root is " + std::to_string(*spec.root) + ", must be 0 to " + std::to_string(comm.size - 1);
    }
    return {};
}

std::string check_argument(const communicator_state& comm, const argument& a, bool staged)
{
    const std::string name = a.name;
    if (a.count < 0) {
        return "count of " + name + " is " + std::to_string(a.count) + ", must be >= 0";
    }
    if (a.count > std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(a.element_bytes)) {
        return "count of " + name + " is " + std::to_string(a.count) +
               ", more bytes than memory has addresses";
    }
    if (a.count > 0 && a.data == nullptr) {
        return name + " is null, but its count is " + std::to_string(a.count);
    }
    if (reinterpret_cast<std::uintptr_t>(a.data) % a.alignment != 0) {
        return name + " is at " + address(a.data) + ", must be aligned to " + std::to_string(a.alignment) +
               " bytes";
    }
    if (!staged && a.count > 0) {
        const std::string why = comm.why_unreachable(a.data);
        return why.empty() ? why : name + " at " + address(a.data) + " " + why;
    }
    return {};
}

std::string check_overlap(const argument& in, const argument& out)
{
    const bool same = in.data == out.data && in.element_bytes == out.element_bytes;
    if (same || !overlap(in, out)) {
        return {};
    }
    return overlap_text(in, out) + "; they must be equal with equal element sizes, or disjoint";
}

std::string check_apart(const argument& a, const argument& b)
{
    return overlap(a, b) ? overlap_text(a, b) + "; they must be disjoint" : std::string();
}

} // namespace rankfold::detail
