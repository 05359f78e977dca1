// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace rankfold::topology {

/// Number of the connected component of each device, in order of first member; -1 for a device without links.
std::vector<int> nvlink_groups(const std::vector<std::vector<bool>>& linked);

} // namespace rankfold::topology
