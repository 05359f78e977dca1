// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How much processor time the cgroup of this process grants.
#pragma once

#include <string>

namespace rankfold::launcher {

/// Cores' worth of time, 1.5 for one and a half; 0 if there is no limit. The least of the process's own
/// cgroup and of those above it, of cgroup 2 and cgroup 1.
/// @param root  where cgroups are mounted
/// @param own  the file that names this process's cgroups
double cpu_quota(const std::string& root = "/sys/fs/cgroup", const std::string& own = "/proc/self/cgroup");

} // namespace rankfold::launcher
