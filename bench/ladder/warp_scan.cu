// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rungs in which a warp scans without shared memory.
#include "warp_scan.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

namespace rankfold::bench::ladder {
namespace {

/// The same by the library of cooperative groups: a tile of 32 threads has a scan of its own.
struct grouped_warp {
    static __device__ float scan(float x)
    {
        namespace cg = cooperative_groups;
        const auto warp = cg::tiled_partition<warp_size>(cg::this_thread_block());
        return cg::inclusive_scan(warp, x, cg::plus<float>());
    }
};

} // namespace

std::vector<scan_rung> warp_scans()
{
    return {{"warp_shuffle", "warps scan by shuffles; two barriers a tile", "18 % more (1024 threads)",
             run_levels<block_by_warps<shuffled_warp, 1024>>},
            {"cooperative_groups", "the same by tiles of 32 threads from cooperative groups", "",
             run_levels<block_by_warps<grouped_warp, 1024>>}};
}

} // namespace rankfold::bench::ladder
