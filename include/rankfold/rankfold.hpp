// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Everything but the headers that pull in MPI (rankfold/mpi.hpp) or CUDA (rankfold/cuda.hpp).
#pragma once

#include "rankfold/array.hpp"
#include "rankfold/communicator.hpp"
#include "rankfold/exscan.hpp"
#include "rankfold/reduce.hpp"
#include "rankfold/scan.hpp"
#include "rankfold/version.hpp"
