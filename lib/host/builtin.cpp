// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "host_backend/builtin.hpp"

#include "table.hpp"

#include <algorithm>

namespace rankfold::host {
namespace {

entries entries_for(operator_id op)
{
    switch (op) {
    case operator_id::sum:
        return sum_entries();
    case operator_id::prod:
        return prod_entries();
    case operator_id::min:
        return min_entries();
    case operator_id::max:
        return max_entries();
    case operator_id::bit_and:
        return bit_and_entries();
    case operator_id::bit_or:
        return bit_or_entries();
    case operator_id::bit_xor:
        return bit_xor_entries();
    case operator_id::logical_and:
        return logical_and_entries();
    case operator_id::logical_or:
        return logical_or_entries();
    case operator_id::affine:
        return affine_entries();
    case operator_id::min_loc:
        return min_loc_entries();
    case operator_id::max_loc:
        return max_loc_entries();
    case operator_id::user:
        return {};
    }
    return {};
}

const builtin_entry* find(operator_id op, element_type in, element_type out)
{
    const entries list = entries_for(op);
    const auto found = std::find_if(list.begin(), list.end(),
                                    [=](const builtin_entry& e) { return e.in == in && e.out == out; });
    return found == list.end() ? nullptr : &*found;
}

} // namespace

const local_phases* find_phases(operator_id op, element_type in, element_type out)
{
    const builtin_entry* entry = find(op, in, out);
    return entry ? entry->phases : nullptr;
}

std::optional<operation> find_operation(operator_id op, element_type in, element_type out)
{
    const builtin_entry* entry = find(op, in, out);
    return entry ? std::optional(entry->describe()) : std::nullopt;
}

} // namespace rankfold::host
