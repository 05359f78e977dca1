// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "watch/log.hpp"

#include "runtime/mpi_check.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string_view>
#include <unistd.h>

namespace rankfold::detail {
namespace {

std::string expand(const std::string& pattern)
{
    std::string path;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern.compare(i, 2, "%h") == 0) {
            path += host_name();
            ++i;
        } else if (pattern.compare(i, 2, "%p") == 0) {
            path += std::to_string(getpid());
            ++i;
        } else {
            path += pattern[i];
        }
    }
    return path;
}

const char* name_of(log_level level)
{
    switch (level) {
    case log_level::none:
        return "NONE";
    case log_level::warn:
        return "WARN";
    case log_level::info:
        return "INFO";
    case log_level::trace:
        return "TRACE";
    }
    return "?";
}

/// Not among the numbers of the standard streams, which a program may have closed, and not for its children.
int open_to_append(const std::string& path)
{
    const int low = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    const int file = low < 0 || low > STDERR_FILENO ? low : fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (low != file && low >= 0) {
        ::close(low);
    }
    if (file < 0) {
        throw_usage("RANKFOLD_DEBUG_FILE: cannot open '" + path + "': " + std::strerror(errno));
    }
    return file;
}

/// For a scope: writing to a pipe that nobody reads any more raises no signal.
class without_sigpipe {
public:
    without_sigpipe() noexcept
    {
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        sigset_t pending;
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGPIPE) == 1;
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    ~without_sigpipe()
    {
        constexpr timespec now{};
        while (!was_pending_ && sigtimedwait(&pipe_, nullptr, &now) == -1 && errno == EINTR) {
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    without_sigpipe(const without_sigpipe&) = delete;
    without_sigpipe& operator=(const without_sigpipe&) = delete;

private:
    sigset_t pipe_{};
    sigset_t before_{};
    bool was_pending_;
};

/// Gathers a line, so that it leaves in one piece where it fits: pieces of this length are not torn by other
/// writers, and a pipe that says it can take something takes them without blocking.
class line_writer {
public:
    explicit line_writer(int file) noexcept : file_(file) {}
    void add(std::string_view text) noexcept
    {
        while (!text.empty()) {
            const std::size_t taken = text.copy(buffer_.data() + length_, buffer_.size() - length_);
            text.remove_prefix(taken);
            length_ += taken;
            if (length_ == buffer_.size()) {
                flush();
            }
        }
    }
    /// What cannot be written is lost.
    void flush() noexcept
    {
        std::string_view rest(buffer_.data(), length_);
        length_ = 0;
        while (!rest.empty() && takes_something()) {
            const ssize_t written = ::write(file_, rest.data(), rest.size());
            if (written >= 0) {
                rest.remove_prefix(static_cast<std::size_t>(written));
            } else if (errno == EAGAIN) {
                patience_ms_ -= step_ms;
            } else if (errno != EINTR) {
                return;
            }
        }
    }

private:
    [[nodiscard]] bool takes_something() noexcept
    {
        while (patience_ms_ > 0) {
            pollfd asked{file_, POLLOUT, 0};
            const int ready = poll(&asked, 1, step_ms);
            if (ready != 0 && !(ready < 0 && errno == EINTR)) {
                return true; // or an error, which writing finds
            }
            patience_ms_ -= step_ms;
        }
        return false;
    }

    static constexpr int step_ms = 10;

    int file_;
    int patience_ms_ = 1000;
    std::array<char, 4096> buffer_; // PIPE_BUF
    std::size_t length_ = 0;
};

} // namespace

std::string host_name()
{
    std::array<char, 64> name{};
    gethostname(name.data(), name.size() - 1);
    return name.data();
}

logger::logger(log_level level, const std::string& file)
    : level_(level), prefix_(host_name() + ":" + std::to_string(getpid())), file_(STDERR_FILENO)
{
    if (!file.empty()) {
        file_ = open_to_append(expand(file));
    } else if (fcntl(STDERR_FILENO, F_GETFD) == -1) {
        file_ = -1;
    }
}

logger::~logger()
{
    if (file_ > STDERR_FILENO) {
        ::close(file_);
    }
}

void logger::write(log_level level, const std::string& text) const noexcept
{
    if (!enabled(level) || file_ < 0) {
        return;
    }
    const without_sigpipe held;
    line_writer line(file_);
    std::array<char, 16> rank{};
    std::snprintf(rank.data(), rank.size(), " [%d]", rank_);
    for (const std::string_view part :
         {std::string_view(prefix_), std::string_view(rank.data()), std::string_view(" RANKFOLD "),
          std::string_view(name_of(level)), std::string_view(" "), std::string_view(text),
          std::string_view("\n")}) {
        line.add(part);
    }
    line.flush();
}

} // namespace rankfold::detail
