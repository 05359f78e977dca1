// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

namespace field_stats {

enum class progress_mode : std::uint8_t { automatic, always, never };

/// How far the work is.
struct progress_state {
    std::string_view what{};
    std::int64_t done_bytes = 0;
    std::int64_t total_bytes = 0; ///< 0: not known
    double elapsed_s = 0.0;
};

/// "reading [====>    ]  45 %  1.2 GB/s  0:12 left", shorter than `columns`: where there is little room, the
/// rate, the bar and the time are left out one after the other. Without a total: "starting 0:03".
[[nodiscard]] std::string progress_line(const progress_state& state, int columns);

/// Columns of the terminal behind stderr, else of the controlling one, else COLUMNS, else 80.
[[nodiscard]] int terminal_columns();

/// A line on stderr that appears once the work has taken half a second, is kept up to date by a thread
/// however long a single step takes, and goes when the work is done.
class progress {
public:
    /// @param mode  automatic: shown where stderr is a terminal (mpirun makes it a pipe: say always there)
    progress(progress_mode mode, bool first_rank);
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress() { end(); }

    /// Ends what was begun before.
    void begin(std::string_view what, std::int64_t total_bytes = 0);
    void add(std::int64_t bytes) { done_ += bytes; }
    void end();

private:
    using clock = std::chrono::steady_clock;
    void show_until(const std::stop_token& stop) const;

    bool wanted_;
    std::string what_;
    std::int64_t total_ = 0;
    std::atomic<std::int64_t> done_ = 0;
    clock::time_point start_;
    std::jthread shower_;
};

} // namespace field_stats
