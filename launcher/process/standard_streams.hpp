// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Standard streams that may be closed or full: both tools start with the first and print with the second.
#pragma once

#include <string>

namespace rankfold::launcher {

/// Takes the places of standard streams that are closed, so that no file opened later becomes one of them.
/// Writing there still fails, and programs that are started find them closed.
void reserve_standard_streams();

/// Writes the whole text to standard output, at once.
/// @throws launch_error with status output_lost if it cannot be written
void print(const std::string& text);

} // namespace rankfold::launcher
