// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "rankfold/exact/wide_sum.hpp"

#include <cstdint>

namespace rankfold::host {

/// Adds numbers to exact sums: those at even places of x to `even`, those at odd places to `odd`, which may
/// be the same sum. One thread. Cost: reads x once; numbers that span many powers of two within 2048 of each
/// other take longer.
void add_exactly(const double* x, std::int64_t count, exact::sum_of_numbers& even,
                 exact::sum_of_numbers& odd);
void add_exactly(const float* x, std::int64_t count, exact::sum_of_numbers& even, exact::sum_of_numbers& odd);
void add_exactly(const float16* x, std::int64_t count, exact::sum_of_numbers& even,
                 exact::sum_of_numbers& odd);
void add_exactly(const bfloat16* x, std::int64_t count, exact::sum_of_numbers& even,
                 exact::sum_of_numbers& odd);

} // namespace rankfold::host
