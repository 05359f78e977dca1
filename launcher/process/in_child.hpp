// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

namespace rankfold::launcher {

/// Tries an action in a child process of its own, silent and for ten seconds at most. hwloc 2.9 crashes on
/// some topology files that are XML but no topology; a crash of the child is an answer, a crash of ours is
/// not.
/// @return whether the child came to its end; an exception counts as an end
bool ends_well(const std::function<void()>& action);

} // namespace rankfold::launcher
