// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "options.hpp"
#include "report.hpp"

#include <mpi.h>

namespace field_stats {

/// The whole job: reads the field, reduces it, writes the prefix sums if asked. Collective.
/// @throws rankfold::error on every rank, and leaves no output behind
[[nodiscard]] report run_job(MPI_Comm comm, const options& asked);

} // namespace field_stats
