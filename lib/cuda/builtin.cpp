// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cuda_backend/builtin.hpp"

#include "tables.hpp"

#include <array>

namespace rankfold::cuda {

namespace {

/// Searches for a place have one result type per input.
bool is_search(operator_id op)
{
    return op == operator_id::min_loc || op == operator_id::max_loc;
}

} // namespace

const local_phases* find_phases(operator_id op, element_type input, element_type output)
{
    const std::array tables{sums_of_integers(),
                            sums_of_floating(),
                            products_of_integers(),
                            products_of_floating(),
                            minima(),
                            maxima(),
                            bitwise(),
                            logical(),
                            affine_maps(),
                            minimum_places(),
                            maximum_places()};
    for (const auto table : tables) {
        for (const entry& row : table) {
            if (row.op == op && row.input == input && (row.output == output || is_search(op))) {
                return row.phases;
            }
        }
    }
    return nullptr;
}

} // namespace rankfold::cuda
