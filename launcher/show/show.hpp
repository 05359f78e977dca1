// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "topology/place.hpp"

#include <string>

namespace rankfold::launcher {

enum class show_form { none, text, json, svg };

/// "2 packages, 2 NUMA nodes, 112 cores, ...".
std::string summary(const topology::machine& where);

std::string show_text(const topology::machine& where, const topology::plan& plan);
std::string show_json(const topology::machine& where, const topology::plan& plan);
std::string show_svg(const topology::machine& where, const topology::plan& plan);

/// @return the chosen form, text if none was chosen
std::string show(show_form form, const topology::machine& where, const topology::plan& plan);

} // namespace rankfold::launcher
