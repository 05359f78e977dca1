// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include "standard_streams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <sys/ioctl.h>
#include <system_error>
#include <unistd.h>

namespace field_stats {
namespace {

using namespace std::chrono_literals;
constexpr auto patience = 500ms;
constexpr auto interval = 100ms;
constexpr int least_bar = 10; // a shorter one tells less than the words it would push away
constexpr int longest_bar = 40;

std::string time_text(double seconds)
{
    const auto s = static_cast<std::int64_t>(std::clamp(seconds, 0.0, 1e9));
    return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                    : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string rate_text(double bytes_per_s)
{
    constexpr std::array units{"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
    std::size_t unit = 0;
    for (; bytes_per_s >= 999.5 && unit + 1 < units.size(); ++unit) {
        bytes_per_s /= 1000.0;
    }
    return fmt::format("{:.{}f} {}", bytes_per_s, bytes_per_s < 99.5 ? 1 : 0, units[unit]);
}

std::string bar_text(double share, int width)
{
    std::string bar(static_cast<std::size_t>(share * width), '=');
    if (bar.size() < static_cast<std::size_t>(width)) {
        bar += '>';
    }
    return fmt::format("[{:<{}}]", bar, width);
}

int columns_of(int terminal)
{
    winsize size{};
    return ::ioctl(terminal, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

} // namespace

std::string progress_line(const progress_state& state, int columns)
{
    const auto room =
        static_cast<std::size_t>(std::max(columns - 1, 0)); // in the last column some would wrap
    const auto cut = [&](const std::string& text) { return text.substr(0, room); };
    if (state.total_bytes == 0) {
        return cut(fmt::format("{} {}", state.what, time_text(state.elapsed_s)));
    }
    const double share =
        std::clamp(static_cast<double>(state.done_bytes) / static_cast<double>(state.total_bytes), 0.0, 1.0);
    const std::string percent = fmt::format("{:3.0f} %", share * 100.0);
    std::string rate;
    std::string left;
    if (share > 0.0 && state.elapsed_s > 0.0) {
        rate = "  " + rate_text(static_cast<double>(state.done_bytes) / state.elapsed_s);
        left = fmt::format("  {} left", time_text(state.elapsed_s * (1.0 - share) / share));
    }
    const std::array ends{percent + rate + left, percent + left, percent};
    for (const std::string& end : ends) {
        const int bar = static_cast<int>(room) - static_cast<int>(state.what.size() + end.size() + 4);
        if (bar >= least_bar) {
            return fmt::format("{} {} {}", state.what, bar_text(share, std::min(bar, longest_bar)), end);
        }
    }
    for (const std::string& end : ends) {
        if (state.what.size() + 1 + end.size() <= room) {
            return fmt::format("{} {}", state.what, end);
        }
    }
    return cut(percent);
}

int terminal_columns()
{
    int columns = columns_of(STDERR_FILENO);
    if (columns == 0) { // under mpirun stderr is a pipe
        if (const int terminal = ::open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY); terminal >= 0) {
            columns = columns_of(terminal);
            ::close(terminal);
        }
    }
    if (const char* said = std::getenv("COLUMNS"); columns == 0 && said != nullptr) {
        columns = std::atoi(said);
    }
    return columns > 0 ? columns : 80;
}

progress::progress(progress_mode mode, bool first_rank)
    : wanted_(first_rank && (mode == progress_mode::always ||
                             (mode == progress_mode::automatic && ::isatty(STDERR_FILENO) == 1)))
{
}

void progress::begin(std::string_view what, std::int64_t total_bytes)
{
    end();
    what_ = what;
    total_ = total_bytes;
    done_ = 0;
    start_ = clock::now();
    if (!wanted_) {
        return;
    }
    try {
        shower_ = std::jthread([this](const std::stop_token& stop) { show_until(stop); });
    } catch (const std::system_error&) { // no more threads: the work goes on unseen
    }
}

void progress::end()
{
    shower_ = {}; // stopped and joined
}

void progress::show_until(const std::stop_token& stop) const
{
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    std::size_t shown = 0;
    const auto wait = [&](auto duration) {
        return !stopped.wait_for(lock, stop, duration, [&] { return stop.stop_requested(); });
    };
    for (bool go_on = wait(patience); go_on; go_on = wait(interval)) {
        const std::chrono::duration<double> elapsed = clock::now() - start_;
        const std::string line = progress_line({what_, done_, total_, elapsed.count()}, terminal_columns());
        say(fmt::format("\r{:<{}}", line, std::min(shown, static_cast<std::size_t>(terminal_columns() - 1))));
        shown = line.size();
    }
    if (shown > 0) {
        say(fmt::format("\r{:{}}\r", "", shown));
    }
}

} // namespace field_stats
