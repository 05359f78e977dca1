// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plain system calls: a failed write is known here and now, with its reason.
#include "process/standard_streams.hpp"

#include "process/launch_error.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace rankfold::launcher {

void reserve_standard_streams()
{
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(stream, F_GETFD) < 0) { // the lowest free number is this one
            const int wrong_way = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
            (void)open("/dev/null", wrong_way | O_CLOEXEC);
        }
    }
}

void print(const std::string& text)
{
    for (std::size_t written = 0; written < text.size();) {
        const ssize_t count = write(STDOUT_FILENO, text.data() + written, text.size() - written);
        if (count >= 0) {
            written += static_cast<std::size_t>(count);
        } else if (errno == EAGAIN) {
            pollfd ready{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
            (void)poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            throw launch_error(std::string("standard output cannot be written: ") + std::strerror(errno),
                               output_lost);
        }
    }
}

} // namespace rankfold::launcher
