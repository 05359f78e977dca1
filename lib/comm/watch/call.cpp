// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/call.hpp"

#include "runtime/fixed_text.hpp"

#include "rankfold/value_hash.hpp"

#include <cstring>

namespace rankfold::detail {
namespace {

std::string_view name_of(call_kind kind)
{
    switch (kind) {
    case call_kind::none:
        return "nothing";
    case call_kind::warm_up:
        return "warm-up";
    case call_kind::reduce:
        return "reduce";
    case call_kind::all_reduce:
        return "all_reduce";
    case call_kind::inclusive_scan:
        return "inclusive_scan";
    case call_kind::exclusive_scan:
        return "exclusive_scan";
    case call_kind::exscan:
        return "exscan";
    case call_kind::make_plan:
        return "a plan";
    }
    return "?";
}

} // namespace

call_description describe_call(std::uint64_t number, const call_facts& facts, const execution& where,
                               const std::string& problem)
{
    call_description call;
    call.number = number;
    call.head = facts.head;
    call.root = facts.root;
    put(call.init, facts.init);
    call.line = where.where.line_number;
    put(call.label, where.label);
    call.head.label = where.label.empty() ? 0 : short_hash(hash_of_text(where.label));
    const std::string_view path = where.where.file;
    put(call.file, path.size() < call.file.size() ? path : path.substr(path.size() - call.file.size() + 1));
    put(call.problem, problem);
    return call;
}

std::string what_of(const call_description& call)
{
    const fingerprint& head = call.head;
    const bool planning = head.kind == call_kind::make_plan;
    const auto kind = planning ? static_cast<call_kind>(head.options >> 4) : head.kind;
    std::string text = std::string(planning ? "making a plan of " : "") + std::string(name_of(kind));
    text += " " + std::string(to_string(head.op)) + " " + std::string(to_string(head.input)) + " -> " +
            std::string(to_string(head.output));
    if (call.init[0] != '\0') {
        text += " init " + std::string(call.init.data());
    }
    if (kind == call_kind::reduce) {
        text += " root " + std::to_string(call.root);
    }
    if (head.records != 1) {
        text += " x" + std::to_string(head.records);
    }
    if ((head.options & option_exact) != 0) {
        text += " exact";
    }
    return text;
}

std::string to_text(const call_description& call)
{
    std::string text = what_of(call);
    if (call.label[0] != '\0') {
        text += " '" + std::string(call.label.data()) + "'";
    }
    if (call.head.plan != 0) {
        text += " by plan " + std::to_string(call.head.plan);
    }
    return text + " at " + call.file.data() + ":" + std::to_string(call.line);
}

std::string differences(const std::vector<std::optional<call_description>>& calls)
{
    struct field {
        const char* name;
        bool (*same)(const fingerprint&, const fingerprint&);
    };
    static constexpr std::array fields{
        field{"the kind of call",
              [](const fingerprint& a, const fingerprint& b) { return a.kind == b.kind; }},
        field{"the operator", [](const fingerprint& a, const fingerprint& b) { return a.op == b.op; }},
        field{"the user operator (its type, name or state)",
              [](const fingerprint& a, const fingerprint& b) { return a.operators == b.operators; }},
        field{"the element types",
              [](const fingerprint& a, const fingerprint& b) {
                  return a.input == b.input && a.accumulator == b.accumulator && a.output == b.output &&
                         a.record_bytes == b.record_bytes;
              }},
        field{"the options",
              [](const fingerprint& a, const fingerprint& b) { return a.options == b.options; }},
        field{"init or root",
              [](const fingerprint& a, const fingerprint& b) { return a.digest == b.digest; }},
        field{"the number of results",
              [](const fingerprint& a, const fingerprint& b) { return a.records == b.records; }},
        field{"the plan", [](const fingerprint& a, const fingerprint& b) { return a.plan == b.plan; }},
        field{"the label", [](const fingerprint& a, const fingerprint& b) { return a.label == b.label; }},
        field{"the number of the call",
              [](const fingerprint& a, const fingerprint& b) { return a.number == b.number; }}};
    std::string text;
    for (const field& f : fields) {
        const call_description* first = nullptr;
        for (const auto& call : calls) {
            first = first == nullptr && call ? &*call : first;
            if (call && !f.same(call->head, first->head)) {
                text += (text.empty() ? "" : ", ") + std::string(f.name);
                break;
            }
        }
    }
    return text;
}

bool same_call(fingerprint a, fingerprint b) noexcept
{
    a.error = 0;
    b.error = 0;
    return std::memcmp(&a, &b, sizeof a) == 0;
}

} // namespace rankfold::detail
