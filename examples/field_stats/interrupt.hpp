// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program that is told to end (SIGTERM, SIGINT, SIGHUP) leaves no half-written file. SIGKILL cannot be met.
#pragma once

#include <string>

namespace field_stats {

/// From here on the signals named above remove the file given to remove_if_interrupted(), are told of on
/// standard error where `tells`, and end the process as they always do; one that the caller ignores stays
/// ignored. SIGXFSZ is ignored: a file beyond the limit is an error of the write.
void watch_for_interrupts(bool tells);

/// The one file to remove; an empty path: none.
void remove_if_interrupted(const std::string& path) noexcept;

} // namespace field_stats
