// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "process/environment.hpp"

#include <vector>

namespace rankfold::launcher {

/// The file that execvp would run for `name`, found beforehand so that nothing starts if it cannot run.
/// @throws launch_error with status 127 if there is no such file, 126 if it is not an executable file
std::string resolve_program(const std::string& name, const environment& variables);

/// Replaces this process.
/// @throws launch_error with status 126 if the kernel refuses the file
[[noreturn]] void exec(const std::string& file, const std::vector<std::string>& arguments);

/// Runs a program to its end and returns what it wrote to its standard output; empty if it could not run or
/// failed.
std::string output_of(const std::vector<std::string>& arguments);

/// Starts a program, hands on the signals that this process gets, and waits. The program gets SIGTERM if this
/// process dies without a chance to hand anything on.
/// @return its exit status, or 128 + the number of the signal that ended it
int run_and_forward(const std::vector<std::string>& arguments);

/// Text for a person: quoted so that a shell would read the same arguments.
std::string quoted(const std::vector<std::string>& arguments);

} // namespace rankfold::launcher
