// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace rankfold::launcher {

/// Tells the other ranks of this job on this node a line of text and returns everybody's, by local rank. A
/// small file in shared memory, removed by the last reader: this happens before MPI is there.
/// @param folder where to meet, such as /dev/shm
/// @param job names this job among all of the user's on this node
/// @throws launch_error if the others do not come within the patience, or the folder cannot be used
std::vector<std::string> exchange_with_local_ranks(const std::string& folder, const std::string& job,
                                                   int rank, int size, const std::string& line,
                                                   std::chrono::milliseconds patience);

} // namespace rankfold::launcher
