// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One table per source file, so that compilers run side by side.
#pragma once

#include "cuda_backend/builtin.hpp"

#include <span>

namespace rankfold::cuda {

/// A row of the table of built-in operations; `phases` is null where it was not compiled.
struct entry {
    operator_id op;
    element_type input;
    element_type output;
    const local_phases* phases;
};

std::span<const entry> sums_of_integers();
std::span<const entry> sums_of_floating();
std::span<const entry> products_of_integers();
std::span<const entry> products_of_floating();
std::span<const entry> minima();
std::span<const entry> maxima();
std::span<const entry> bitwise();
std::span<const entry> logical();
std::span<const entry> affine_maps();
std::span<const entry> minimum_places();
std::span<const entry> maximum_places();

} // namespace rankfold::cuda
