// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The rungs of a ladder at one size, with their memory: what is measured.
#pragma once

#include "../contest.hpp"

#include <string>
#include <vector>

namespace rankfold::bench::ladder {

/// One rung at one size.
struct step {
    std::string name;
    std::string mends;
    std::string claim;
    action run;
    shared_memory result;
};

/// A ladder at one size. All steps read the same whole numbers, so small that every partial sum is exact in
/// any order, and so their results have equal bytes.
struct climb {
    shared_memory input;
    std::vector<step> steps;
    std::size_t result_bytes;
    std::vector<std::byte> expected; ///< the result, summed on the host in integers
};

/// The last two steps are those of the library and of CUB.
[[nodiscard]] climb reduce_climb(const gpu& device, std::int64_t count);
[[nodiscard]] climb scan_climb(const gpu& device, std::int64_t count);

/// Compensated summation is judged by its error, on numbers that cancel: a sum about 2^24 times smaller than
/// the sum of the magnitudes.
struct error_climb {
    shared_memory input;
    std::vector<step> steps; ///< each leaves one float
    double exact;
    double condition; ///< sum of the magnitudes over the magnitude of the sum
};
[[nodiscard]] error_climb kahan_climb(const gpu& device, std::int64_t count);

} // namespace rankfold::bench::ladder
