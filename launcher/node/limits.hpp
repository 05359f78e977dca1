// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "node/job_launcher.hpp"
#include "topology/place.hpp"

namespace rankfold::launcher {

/// What the starter left to each rank of this node. If it bound the ranks or gave them different GPUs, the
/// ranks tell each other; else they all have the same, and the answer is empty. `where` then describes the
/// node before those limits, with the GPUs of all ranks.
std::vector<topology::rank_limit> agree_on_limits(topology::machine& where, const local_position& position);

/// "0-3;0000:1b:00.0,0000:2b:00.0", or "0-3;*" for all GPUs.
std::string limit_to_line(const topology::rank_limit& limit);

/// @throws topology_error or launch_error if the line is malformed
topology::rank_limit limit_from_line(const std::string& line);

} // namespace rankfold::launcher
