// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "process/environment.hpp"

namespace rankfold::launcher {

/// Which of the processes on this node this one is, as the program that started it says.
struct local_position {
    int rank = 0;
    int size = 0;              ///< 0 if the starter does not say
    std::string starter = {};  ///< "Open MPI"
    std::string variable = {}; ///< where the rank was read
    std::string job = {};      ///< one name for all ranks of the job; empty if the starter does not say
};

/// Reads the variables of Open MPI, Slurm, MPICH, PMI, PALS, Flux, MVAPICH and JSM.
/// Slurm's are ignored beside another starter's when they describe the batch script or one daemon per node,
/// from which that other starter was started.
/// @return nothing if no starter's variable is set
/// @throws launch_error if a variable is not a whole number, if a rank is not below its size, or if two
/// starters disagree
std::optional<local_position> find_position(const environment& variables);

/// Number of tasks on one node from Slurm's compressed list: "2(x3),1" is 2, 2, 2, 1.
/// @throws launch_error if the list is malformed or shorter than node
int tasks_on_node(std::string_view list, int node);

/// All variables that find_position looks at, for messages.
std::string known_variables();

} // namespace rankfold::launcher
