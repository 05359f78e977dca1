// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unistd.h>

namespace field_stats {
namespace {

using namespace std::chrono_literals;
constexpr auto patience = 1s;
constexpr auto interval = 100ms;

} // namespace

std::string progress_line(std::string_view what, std::int64_t done, std::int64_t total, int width)
{
    const double share =
        total > 0 ? std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0) : 1.0;
    const auto filled = static_cast<std::size_t>(share * width);
    std::string bar(filled, '=');
    if (filled < static_cast<std::size_t>(width)) {
        bar += '>';
    }
    return fmt::format("{} [{:<{}}] {:3.0f} %", what, bar, width, share * 100.0);
}

progress::progress(progress_mode mode, bool first_rank)
    : wanted_(first_rank && (mode == progress_mode::always ||
                             (mode == progress_mode::automatic && ::isatty(STDERR_FILENO) == 1)))
{
}

void progress::begin(std::string_view what, std::int64_t total_bytes)
{
    what_ = what;
    total_ = total_bytes;
    done_ = 0;
    next_ = clock::now() + patience;
}

void progress::add(std::int64_t bytes)
{
    done_ = std::min(done_ + bytes, total_);
    if (wanted_ && clock::now() >= next_) {
        fmt::print(stderr, "\r{}", progress_line(what_, done_, total_));
        std::fflush(stderr);
        shown_ = true;
        next_ = clock::now() + interval;
    }
}

void progress::end()
{
    if (shown_) {
        fmt::print(stderr, "\r{:{}}\r", "", progress_line(what_, total_, total_).size());
        std::fflush(stderr);
        shown_ = false;
    }
}

} // namespace field_stats
