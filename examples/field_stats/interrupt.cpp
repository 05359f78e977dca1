// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interrupt.hpp"

#include <algorithm>
#include <climits>
#include <csignal>
#include <string_view>
#include <unistd.h>

namespace field_stats {
namespace {

// All that the handler touches: it may not allocate.
char file_to_remove[PATH_MAX] = "";
volatile std::sig_atomic_t has_file = 0;
volatile std::sig_atomic_t must_tell = 0;

struct watched_signal {
    int number;
    std::string_view text;
};
constexpr watched_signal watched[] = {{SIGTERM, "field_stats: interrupted by SIGTERM"},
                                      {SIGINT, "field_stats: interrupted by SIGINT"},
                                      {SIGHUP, "field_stats: interrupted by SIGHUP"}};

void tell(std::string_view text)
{
    static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
}

void end_process(int signal)
{
    if (has_file != 0) {
        ::unlink(file_to_remove);
    }
    if (must_tell != 0) {
        for (const watched_signal& one : watched) {
            tell(one.number == signal ? one.text : "");
        }
        tell(has_file != 0 ? "; no prefix sums were written\n" : "\n");
    }
    ::raise(signal); // SA_RESETHAND: now it ends the process
}

} // namespace

void watch_for_interrupts(bool tells)
{
    must_tell = tells ? 1 : 0;
    std::signal(SIGXFSZ, SIG_IGN);
    for (const watched_signal& one : watched) {
        struct sigaction action {};
        if (::sigaction(one.number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
            action = {};
            action.sa_handler = end_process;
            action.sa_flags = static_cast<int>(SA_RESETHAND);
            ::sigaction(one.number, &action, nullptr);
        }
    }
}

void remove_if_interrupted(const std::string& path) noexcept
{
    has_file = 0;
    if (!path.empty() && path.size() < sizeof file_to_remove) {
        *std::ranges::copy(path, file_to_remove).out = '\0';
        has_file = 1;
    }
}

} // namespace field_stats
