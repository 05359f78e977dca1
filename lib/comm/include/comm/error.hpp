// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Usage errors, as every layer throws them.
#pragma once

#include "rankfold/error.hpp"

namespace rankfold::detail {

/// A usage error; `text` names argument, value, and what would have been right.
[[noreturn]] inline void throw_usage(const std::string& text, int rank = -1)
{
    throw error(errc::usage, error_origin::usage, 0, rank, text);
}

} // namespace rankfold::detail
