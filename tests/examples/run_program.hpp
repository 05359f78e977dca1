// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// field_stats as a user starts it: under mpiexec or alone, judged by exit code, output and errors.
#pragma once

#include <string>
#include <vector>

namespace field_stats::test {

struct outcome {
    int exit_code; ///< as a shell tells it: 128 + signal for a program that a signal ended
    std::string output;
    std::string errors;
};

using arguments = std::vector<std::string>;

/// The words for a shell: field_stats `args`, and mpiexec -n `ranks` field_stats `args`.
[[nodiscard]] std::string command_alone(const arguments& args);
[[nodiscard]] std::string command(int ranks, const arguments& args);

/// What a shell makes of it.
[[nodiscard]] outcome run_command(const std::string& command);

/// mpiexec -n `ranks` field_stats `args`.
[[nodiscard]] outcome run(int ranks, const arguments& args);

/// One rank in the folder `first`, one in `second`: the same relative path may then name different files.
[[nodiscard]] outcome run_in_two_folders(const std::string& first, const std::string& second,
                                         const arguments& args);

} // namespace field_stats::test
