// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "options.hpp"
#include "process/environment.hpp"
#include "topology/place.hpp"

namespace rankfold::launcher {

/// The machine that the options name: recorded, synthetic or this one.
/// @throws launch_error or topology_error if it cannot be read, or is another one and binding is asked for
topology::machine choose_machine(const options& chosen);

/// @throws launch_error if the kernel's description of the processors is missing below `sysfs`
void check_sysfs(const std::string& sysfs);

topology::request make_request(const options& chosen, int ranks);

/// Prints the plan of -n ranks and starts nothing.
int dry_run(const options& chosen, const environment& variables);

/// Composes the mpirun line and runs it; with --print-command prints it instead. Returns the program's exit
/// status.
int run_mpirun_mode(const options& chosen, const environment& variables);

/// Places this one rank and becomes the program.
int run_rank_mode(const options& chosen, const environment& variables);

int run_doctor(const options& chosen, const environment& variables);

} // namespace rankfold::launcher
