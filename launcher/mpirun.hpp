// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "node/mpi_world.hpp"
#include "options.hpp"
#include "process/environment.hpp"

namespace rankfold::launcher {

enum class mpirun_kind { open_mpi_4, open_mpi_5, hydra, unknown };

struct mpirun {
    std::string file = {};
    mpirun_kind kind = mpirun_kind::unknown;
    std::string version = {}; ///< "mpirun (Open MPI) 4.1.4", "HYDRA 4.0.2"
};

/// Recognises the starter from what `mpirun --version` prints: Open MPI before 5, Open MPI 5 (PRRTE), MPICH
/// and its kin.
mpirun_kind recognise(std::string_view version_text);

/// Nothing if it is not known.
std::optional<mpi_family> family_of(mpirun_kind kind);

/// @throws launch_error with status 127 if there is none
mpirun find_mpirun(const options& chosen, const environment& variables);

/// The whole command line. The starter binds nothing: each rank binds itself.
/// @param self path of rankfold-run
std::vector<std::string> compose(const mpirun& starter, const options& chosen, const std::string& self);

/// @throws launch_error if the user is root and neither the options nor the environment permit what mpirun
/// would refuse
void check_root(const mpirun& starter, const options& chosen, const environment& variables, bool is_root);

/// True if a batch system or host list gives more than this machine, so that its cores do not limit the
/// ranks.
bool has_allocation(const options& chosen, const environment& variables);

} // namespace rankfold::launcher
