// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/call.hpp"

#include "runtime/fixed_text.hpp"

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
    return text + " at " + call.file.data() + ":" + std::to_string(call.line);
}

bool same_call(fingerprint a, fingerprint b) noexcept
{
    a.error = 0;
    b.error = 0;
    return std::memcmp(&a, &b, sizeof a) == 0;
}

} // namespace rankfold::detail
