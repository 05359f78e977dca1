// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One macro around every call into MPI: throws error with the native code and what was called.
#pragma once

#include "comm/error.hpp"

#include "rankfold/mpi.hpp"

namespace rankfold::detail {

[[noreturn]] void throw_mpi_error(int code, const char* what);

} // namespace rankfold::detail

#define RANKFOLD_MPI(call)                                                                                   \
    do {                                                                                                     \
        if (const int rankfold_code = (call); rankfold_code != MPI_SUCCESS) {                                \
            ::rankfold::detail::throw_mpi_error(rankfold_code, #call);                                       \
        }                                                                                                    \
    } while (false)
