// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is odd about how the program was started, and no error.
#pragma once

#include "watch/log.hpp"

namespace rankfold::detail {

/// Warns once in a process: of variables with names that nobody reads, and of a world that is smaller than
/// the starter says. Between MPI_Init and MPI_Finalize.
void warn_of_surroundings(const logger& log);

} // namespace rankfold::detail
