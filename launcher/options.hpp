// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "show/show.hpp"

#include <string>
#include <variant>
#include <vector>

namespace rankfold::launcher {

struct options {
    int ranks = 0; ///< 0: not given, this process becomes one rank
    int ranks_per_node = 0;
    int cores_per_rank = 0;
    bool smt = false;
    bool one_visible_gpu = false;
    bool nic = false;
    bool oversubscribe = false;
    bool share_gpus = false;
    bool bind = true;
    bool strict = false;
    bool verbose = false;
    bool dry_run = false;
    bool print_command = false;
    bool doctor = false;
    bool allow_root = false;
    bool under_mpirun_mode = false; ///< set by mpirun mode for the ranks that it starts
    show_form show = show_form::none;
    std::string topology = {};
    std::string synthetic = {};
    std::string mpirun = {};
    std::vector<std::string> mpirun_args = {};
    std::vector<std::string> command = {}; ///< the program and its arguments
};

/// @return the options, or the status to exit with after help, version or a message on a bad command line
std::variant<options, int> parse_options(const std::vector<std::string>& arguments);

/// The options that mpirun mode hands to its ranks.
std::vector<std::string> rank_arguments(const options& chosen);

} // namespace rankfold::launcher
