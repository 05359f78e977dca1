// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "rankfold/config.hpp"

#include <cstdint>

namespace rankfold {

/// How sums of floating and complex numbers are computed.
enum class accuracy : std::uint8_t {
    /// The infinitely precise sum, rounded once to the result type, ties to even: the same bits for every
    /// order, partition, rank count and thread count, and those of Python's math.fsum and of mpfr_sum. Any
    /// NaN, or +inf with -inf, gives the canonical NaN; infinities of one sign give that infinity. A sum
    /// beyond the largest number is infinite; partial sums beyond it do not matter. A sum of zero is +0,
    /// unless all elements are -0 and there is one. Subnormal numbers count. An init is one more element.
    exact,
    /// In the accumulator of rankfold/permitted.hpp, in blocks: bits depend on rank count and piece lengths.
    plain,
};

} // namespace rankfold
