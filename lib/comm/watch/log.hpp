// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The log in the manner of NCCL_DEBUG: RANKFOLD_DEBUG=WARN|INFO|TRACE, RANKFOLD_DEBUG_FILE with %h (host) and
// %p (pid). Without RANKFOLD_DEBUG warnings are printed and nothing else.
#pragma once

#include <memory>
#include <mutex>
#include <string>

namespace rankfold::detail {

enum class log_level { none, warn, info, trace };

class logger {
public:
    /// @param level  the text of RANKFOLD_DEBUG, already checked; @param file  RANKFOLD_DEBUG_FILE or empty
    logger(log_level level, const std::string& file);
    ~logger();
    logger(const logger&) = delete;
    logger& operator=(const logger&) = delete;

    void set_rank(int rank) noexcept { rank_ = rank; }
    [[nodiscard]] bool enabled(log_level level) const noexcept { return level <= level_; }
    /// One whole line, thread safe.
    void write(log_level level, const std::string& text) const noexcept;

private:
    log_level level_;
    int rank_ = -1;
    std::string prefix_; // host:pid
    void* file_;         // FILE*, stderr unless a file was named
};

/// The name of this machine, up to 63 characters.
std::string host_name();

} // namespace rankfold::detail
