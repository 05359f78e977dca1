// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Standard streams as a program finds them: closed, full, or a pipe that nobody reads.
#pragma once

#include <string_view>

namespace field_stats {

/// Call first of all: a file opened later must not get the number of a stream that the caller closed, and be
/// written in its place. A pipe that nobody reads is from here on an error of the write, not a signal.
void settle_standard_streams();

/// Writes to standard error, whether that works or not: what cannot be said must not end the work.
void say(std::string_view text) noexcept;

} // namespace field_stats
