// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout.hpp"
#include "progress.hpp"

#include <optional>
#include <string>

namespace field_stats {

/// The command line.
struct options {
    std::string path{};
    file_format format = file_format::automatic;
    raw_description raw{};
    std::string prefix_sum_path{}; ///< empty: none is asked for
    bool json = false;
    progress_mode progress = progress_mode::automatic;
    std::string text_to_print{}; ///< help or version: print it and be done
};

/// @throws std::runtime_error saying what is wrong and where help is
[[nodiscard]] options parse(int argc, const char* const* argv);

} // namespace field_stats
