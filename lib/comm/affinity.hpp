// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cores that this process may use, and its share of them.
#pragma once

#include "rankfold/mpi.hpp"

namespace rankfold::detail {

struct core_share {
    int threads;   ///< for this rank's OpenMP regions, at least 1
    bool starved;  ///< bound to one core while the node has idle ones
};

/// Collective over the ranks of one node.
/// @param omp_threads  OMP_NUM_THREADS, or 0: then the cores of the affinity mask, shared among ranks with the same mask
core_share share_cores(MPI_Comm node, int omp_threads);

} // namespace rankfold::detail
