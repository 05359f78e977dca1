// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace field_stats {

enum class progress_mode : std::uint8_t { automatic, always, never };

/// "reading [=========>          ]  45 %": width columns between the brackets.
[[nodiscard]] std::string progress_line(std::string_view what, std::int64_t done, std::int64_t total,
                                        int width = 40);

/// A bar on stderr that appears once the work has taken a second, and goes when the work is done.
class progress {
public:
    /// @param mode  automatic: shown where stderr is a terminal (mpirun makes it a pipe: say always there)
    progress(progress_mode mode, bool first_rank);
    void begin(std::string_view what, std::int64_t total_bytes);
    void add(std::int64_t bytes);
    void end();

private:
    using clock = std::chrono::steady_clock;
    bool wanted_;
    bool shown_ = false;
    std::string what_;
    std::int64_t done_ = 0;
    std::int64_t total_ = 0;
    clock::time_point next_;
};

} // namespace field_stats
