// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace rankfold::launcher {

/// Exit statuses of the tools themselves; any other of rankfold-run is the program's.
enum exit_status : int {
    bad_input = 2,
    binding_not_held = 3,
    output_lost = 4, ///< standard output could not be written
    not_executable = 126,
    not_found = 127
};

class launch_error : public std::runtime_error {
public:
    explicit launch_error(const std::string& what, int status = bad_input)
        : std::runtime_error(what), status_(status)
    {
    }
    int status() const { return status_; }

private:
    int status_;
};

} // namespace rankfold::launcher
