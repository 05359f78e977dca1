// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The log in the manner of NCCL_DEBUG: RANKFOLD_DEBUG=WARN|INFO|TRACE, RANKFOLD_DEBUG_FILE with %h (host) and
// %p (pid). Without RANKFOLD_DEBUG warnings are printed and nothing else. A log that nobody takes (a pipe
// that is closed or full, a full disk) is lost, and changes nothing else.
#pragma once

#include <string>

namespace rankfold::detail {

enum class log_level { none, warn, info, trace };

class logger {
public:
    /// @param level  RANKFOLD_DEBUG; @param file  RANKFOLD_DEBUG_FILE, or empty: the standard error stream,
    /// or nothing where it is closed now, since a file of the program may get its number later
    /// @throws error (usage) if the file cannot be opened
    logger(log_level level, const std::string& file);
    ~logger();
    logger(const logger&) = delete;
    logger& operator=(const logger&) = delete;

    void set_rank(int rank) noexcept { rank_ = rank; }
    [[nodiscard]] bool enabled(log_level level) const noexcept { return level <= level_; }
    /// One whole line, thread safe. Waits at most a second for who reads.
    void write(log_level level, const std::string& text) const noexcept;

private:
    log_level level_;
    int rank_ = -1;
    std::string prefix_; // host:pid
    int file_;           // descriptor; -1: nobody to write to
};

/// The name of this machine, up to 63 characters.
std::string host_name();

} // namespace rankfold::detail
