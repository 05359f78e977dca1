// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One macro around every call into MPI: throws error with the native code and what was called.
#pragma once

#include "rankfold/error.hpp"
#include "rankfold/mpi.hpp"

namespace rankfold::detail {

[[noreturn]] void throw_mpi_error(int code, const char* what);

/// A usage error; `text` names argument, value, and what would have been right.
[[noreturn]] void throw_usage(const std::string& text, int rank = -1);

} // namespace rankfold::detail

#define RANKFOLD_MPI(call)                                                                                             \
    do {                                                                                                               \
        if (const int rankfold_code = (call); rankfold_code != MPI_SUCCESS) {                                          \
            ::rankfold::detail::throw_mpi_error(rankfold_code, #call);                                                 \
        }                                                                                                              \
    } while (false)
