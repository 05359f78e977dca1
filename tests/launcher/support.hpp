// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "topology/load.hpp"

#include <string>
#include <vector>

namespace rankfold::launcher::testing {

/// A machine of tests/launcher/machines, with its name as source so that no path enters a golden file.
topology::machine recorded(const std::string& name);
std::string machine_path(const std::string& name);

struct outcome {
    int status = -1; ///< exit status, or 128 + signal
    std::string out = {};
    std::string err = {};
};

/// Runs a program to its end. `changes` are NAME=value to set or NAME to unset; variables of MPI starters are
/// unset.
outcome run(const std::vector<std::string>& arguments, const std::vector<std::string>& changes = {});

/// The built rankfold-run, with arguments.
std::vector<std::string> tool(const std::vector<std::string>& arguments);

std::vector<std::string> plus(std::vector<std::string> words, const std::vector<std::string>& more);

bool has(const std::string& text, const std::string& part);

/// A folder of its own, removed at the end.
class temporary_folder {
public:
    temporary_folder();
    ~temporary_folder();
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    const std::string& path() const { return path_; }
    /// Writes an executable file and returns its path.
    std::string script(const std::string& name, const std::string& text) const;

private:
    std::string path_;
};

} // namespace rankfold::launcher::testing
