// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "rankfold/error.hpp"

namespace rankfold::detail {

/// A usage error; `text` names argument, value, and what would have been right.
[[noreturn]] void throw_usage(const std::string& text, int rank = -1);

} // namespace rankfold::detail
