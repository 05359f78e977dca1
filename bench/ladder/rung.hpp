// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a rung of the ladder is: one way to sum an array of floats, or to scan it, on one GPU. The rungs of a
// family stand in one file, from naive to fast; each says what it mends over the rung before.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

namespace rankfold::bench::ladder {

/// Sum of input[0 .. count) to *result, in stream order.
struct reduce_problem {
    const float* input; ///< aligned to 16 bytes; count >= 1
    std::int64_t count;
    float* result;
    float* partials; ///< most_partials(count) floats of device memory
    int multiprocessors;
    cudaStream_t stream;
};

/// output[i] = input[0] + ... + input[i], in stream order.
struct scan_problem {
    const float* input; ///< both aligned to 16 bytes; count >= 1
    float* output;
    std::int64_t count;
    float* totals; ///< most_totals(count) floats of device memory: sums of tiles, level above level
    cudaStream_t stream;
};

template <class Problem>
struct rung {
    const char* name;
    const char* mends; ///< what changes over the rung before
    const char* claim; ///< what the article says that this gains, or ""
    void (*run)(const Problem&);
};
using reduce_rung = rung<reduce_problem>;
using scan_rung = rung<scan_problem>;

/// Room for the partials of all launches of any rung: no block sums fewer than 256 elements.
[[nodiscard]] constexpr std::int64_t most_partials(std::int64_t count)
{
    return count / 128 + 4096;
}
/// No tile of a scan has fewer than 256 elements; a look-back takes two words a tile.
[[nodiscard]] constexpr std::int64_t most_totals(std::int64_t count)
{
    return count / 64 + 4096;
}

// The families, each a file, in the order of the climb.
[[nodiscard]] std::vector<reduce_rung> shared_memory_reductions();
[[nodiscard]] std::vector<reduce_rung> shuffle_reductions();
[[nodiscard]] std::vector<reduce_rung> vectorized_reductions();
[[nodiscard]] std::vector<reduce_rung> compensated_reductions(); ///< judged by their error
[[nodiscard]] std::vector<reduce_rung> async_copy_reductions();
[[nodiscard]] std::vector<reduce_rung> tensor_core_reductions();

[[nodiscard]] std::vector<scan_rung> blelloch_scans();
[[nodiscard]] std::vector<scan_rung> hillis_steele_scans();
[[nodiscard]] std::vector<scan_rung> multi_level_scans();
[[nodiscard]] std::vector<scan_rung> warp_scans();
[[nodiscard]] std::vector<scan_rung> tensor_core_scans();
[[nodiscard]] std::vector<scan_rung> lookback_scans();

} // namespace rankfold::bench::ladder
