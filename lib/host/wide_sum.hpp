// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prefix sums of float and double with AVX2, where the processor has it: the same grouping as
// vector_prefix.hpp, hence the same bits, with two vectors of 16 bytes in one register.
#pragma once

#include "rankfold/operators.hpp"

#include <cstdint>

namespace rankfold::host::detail {

/// What vector_prefix::scan_pairs does; `carry` is null where nothing stands before the block. `past_cache`
/// needs `y` at a multiple of 32 bytes.
std::int64_t scan_pairs_wide(const float* x, std::int64_t count, const float* carry, float& before, float* y,
                             bool past_cache);
std::int64_t scan_pairs_wide(const double* x, std::int64_t count, const double* carry, double& before,
                             double* y, bool past_cache);

/// True where the processor runs them.
extern const bool has_wide_vectors;

template <operator_id Id, class T>
inline constexpr bool has_wide_form = false;
template <>
inline constexpr bool has_wide_form<operator_id::sum, float> = true;
template <>
inline constexpr bool has_wide_form<operator_id::sum, double> = true;

} // namespace rankfold::host::detail
