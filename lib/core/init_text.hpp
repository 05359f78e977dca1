// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "rankfold/operation.hpp"

#include <string>

namespace rankfold::detail {

/// An init as a user would write it, "5" or "(1, 2)"; bytes in hexadecimal for user types; empty where none
/// is given.
std::string init_text(element_type type, const init_value& init);

} // namespace rankfold::detail
