// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "topology/machine.hpp"

#include <string>
#include <vector>

namespace rankfold::topology {

/// What the CUDA driver of this process says, asked without making a context. The driver library is looked up
/// at run time, so that one build serves machines with and without GPUs.
struct driver_report {
    bool library_found = false;
    std::string failure = {};   ///< why no GPU can be used, in the driver's words; empty if it answered
    int version = 0;            ///< the newest CUDA that the driver supports, 12040 for 12.4
    std::vector<gpu> gpus = {}; ///< in CUDA's order, after CUDA_VISIBLE_DEVICES; without locality
    std::vector<std::vector<bool>> peer_access = {}; ///< [i][j]: i can map memory of j
    std::vector<bool> exclusive = {};                ///< compute mode other than the default
};

driver_report ask_driver();

} // namespace rankfold::topology
