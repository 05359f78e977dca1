// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What can be wrong with the arguments of a call on this rank. A problem is a text that names argument,
// value, and what would have been right; empty where all is well. It does not throw: problems travel with the
// exchange.
#pragma once

#include "comm/state.hpp"

#include "rankfold/plan.hpp"

#include <string>

namespace rankfold::detail {

std::string check_spec(const communicator_state& comm, const operation& op, const plan_spec& spec);

/// One argument: `count` elements at `data`.
struct argument {
    const char* name;
    const void* data;
    std::int64_t count;
    std::size_t element_bytes;
    std::size_t alignment;

    [[nodiscard]] argument part(std::int64_t first, std::int64_t elements) const
    {
        return {name, static_cast<const std::byte*>(data) + static_cast<std::size_t>(first) * element_bytes,
                elements, element_bytes, alignment};
    }
};
/// Count, null, alignment, and whether the backend reaches the memory (`staged`: it need not).
std::string check_argument(const communicator_state& comm, const argument& a, bool staged);

/// Equal addresses need equal element sizes; any other overlap is refused.
std::string check_overlap(const argument& in, const argument& out);

/// Any overlap is refused.
std::string check_apart(const argument& a, const argument& b);

/// The first of several problems.
template <class... Checks>
std::string first_problem(Checks... checks)
{
    std::string problem;
    static_cast<void>((... || !(problem = checks()).empty()));
    return problem;
}

} // namespace rankfold::detail
