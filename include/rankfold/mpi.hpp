// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The one header that pulls in MPI: with it a communicator is made from an MPI_Comm.
#pragma once

#include "rankfold/communicator.hpp"

// The deprecated C++ bindings of some MPIs are not wanted.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

template <>
inline constexpr bool rankfold::detail::is_mpi_communicator<MPI_Comm> = true;
