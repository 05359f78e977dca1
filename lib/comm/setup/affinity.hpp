// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What this rank gets of its node: its share of the cores, and a GPU where no launcher chose one.
#pragma once

#include "rankfold/mpi.hpp"

#include <string>

namespace rankfold::detail {

struct core_share {
    int threads;  ///< for this rank's OpenMP regions, at least 1
    bool starved; ///< bound to one core while the node has idle ones
};

/// Collective over the ranks of one node.
/// @param omp_threads  OMP_NUM_THREADS, or 0: then the cores of the affinity mask, shared among ranks with
/// the same mask
core_share share_cores(MPI_Comm node, int omp_threads);

/// CUDA ordinal of the GPU nearest to this rank's cores, each used once before one is used twice; -1 if it
/// sees none. Collective over the ranks of one node.
int nearest_gpu(MPI_Comm node, int visible_devices);

/// Where this rank's threads and its GPU (CUDA ordinal, or -1) are, in a few words for the table of
/// describe().
std::string describe_locality(int device);

} // namespace rankfold::detail
