// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank was asked for: options of the program, else the environment, else defaults.
#pragma once

#include "setup/rank_info.hpp"
#include "watch/log.hpp"

#include "rankfold/communicator.hpp"

namespace rankfold::detail {

struct settings {
    rankfold::backend backend = rankfold::backend::automatic;
    rankfold::transport transport = rankfold::transport::automatic;
    std::string device; ///< empty: automatic
    node_size fake_nodes;
    double warn_s = 60;
    double timeout_s = 600;
    std::optional<bool> coexist; ///< unset: where other communicators are alive
    bool overlap = true;
    int omp_threads = 0; ///< OMP_NUM_THREADS, 0 if unset
    log_level level = log_level::warn;
    std::string log_file;
    std::string flight_dir; ///< empty: no flight record is written when something fails
};

/// @throws error (usage) naming the option or variable, its value, and the values that would be right
settings resolve_settings(const communicator_options& options);

} // namespace rankfold::detail
