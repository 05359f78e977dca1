// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The built-in operations of the cuda backend, compiled into the library.
#pragma once

#include "rankfold/operation.hpp"

namespace rankfold::cuda {

/// The local phases of an operator over element types. min_loc and max_loc are found by their input alone.
/// @return null where the library was built without CUDA, or without this triple (RANKFOLD_FULL=OFF)
[[nodiscard]] const local_phases* find_phases(operator_id op, element_type input, element_type output);

} // namespace rankfold::cuda
