// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi_check.hpp"

#include <array>

namespace rankfold::detail {

void throw_mpi_error(int code, const char* what)
{
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    throw error(errc::backend, error_origin::mpi, code, -1, std::string(what) + ": " + text.data());
}

} // namespace rankfold::detail
