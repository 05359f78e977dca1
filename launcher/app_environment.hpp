// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "options.hpp"
#include "process/environment.hpp"
#include "topology/place.hpp"

namespace rankfold::launcher {

/// The variables that the program gets in addition: RANKFOLD_DEVICE always; OpenMP's and the network's unless
/// the user has set them.
/// @throws launch_error if --gpu-visible=one needs a uuid that is not known
environment added_variables(const topology::machine& where, const topology::placement& rank,
                            const options& chosen, const environment& inherited);

} // namespace rankfold::launcher
