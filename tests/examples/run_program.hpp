// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// field_stats as a user starts it: under mpirun, judged by exit code, output and errors.
#pragma once

#include <string>
#include <vector>

namespace field_stats::test {

struct outcome {
    int exit_code;
    std::string output;
    std::string errors;
};

using arguments = std::vector<std::string>;

/// mpirun -n `ranks` field_stats `args`.
[[nodiscard]] outcome run(int ranks, const arguments& args);

/// One rank in the folder `first`, one in `second`: the same relative path may then name different files.
[[nodiscard]] outcome run_in_two_folders(const std::string& first, const std::string& second,
                                         const arguments& args);

} // namespace field_stats::test
