// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The built-in operations of the host backend: every triple that rankfold/permitted.hpp permits.
#pragma once

#include "rankfold/operation.hpp"

#include <optional>

namespace rankfold::host {

/// The host phases of a built-in operator, or null where the triple is not permitted.
/// @param out  the result; `user` for min_loc and max_loc, whose result is located<input>
[[nodiscard]] const local_phases* find_phases(operator_id op, element_type in, element_type out);

/// The operation with its description and host phases (device phases null), or nothing where it is not
/// permitted.
[[nodiscard]] std::optional<operation> find_operation(operator_id op, element_type in, element_type out);

/// The exact form of a built-in sum: of reductions, and of exscans, whose records are the values themselves.
/// Nothing where the operation has none.
[[nodiscard]] std::optional<operation> exact_reduction_of(const operation& sum);
[[nodiscard]] std::optional<operation> exact_exscan_of(const operation& sum);

} // namespace rankfold::host
