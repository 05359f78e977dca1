// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program that is linked with another MPI than the one that starts it runs as many worlds of one rank, each
// with a result of its own. Only the starter's variables tell.
#pragma once

#include <string>

namespace rankfold::detail {

/// One line if a starter says that this is one of several tasks, but the world has one rank and no starter
/// says so; else empty. Reads the variables of Slurm, PMI, PMIx, Open MPI, MVAPICH, JSM and Flux.
/// @param world_ranks  of MPI_COMM_WORLD
[[nodiscard]] std::string advice_on_starter(int world_ranks);

} // namespace rankfold::detail
