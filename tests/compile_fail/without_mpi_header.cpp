// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A communicator is made from an MPI_Comm only where rankfold/mpi.hpp is included, and from no other pointer.
#ifndef RANKFOLD_COMPILE_FAIL
#include "rankfold/mpi.hpp"
#endif
#include "rankfold/rankfold.hpp"

#include <mpi.h>

rankfold::communicator make()
{
    return rankfold::communicator(MPI_COMM_WORLD);
}
