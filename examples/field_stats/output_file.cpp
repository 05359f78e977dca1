// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "output_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace field_stats {
namespace {

std::runtime_error system_error(const std::string& path, std::string_view what, int code)
{
    return std::runtime_error(fmt::format("{}: cannot {}: {}", path, what, std::strerror(code)));
}

/// Renaming over a device or the input would destroy it.
void require_replaceable(const std::string& path, const std::string& input_path)
{
    struct stat there {};
    struct stat input {};
    if (::stat(path.c_str(), &there) != 0) {
        return; // not there, or the folder is not: creating the file will tell
    }
    if (!S_ISREG(there.st_mode)) {
        throw std::runtime_error(fmt::format("{}: cannot write: not a regular file", path));
    }
    if (::stat(input_path.c_str(), &input) == 0 && input.st_dev == there.st_dev &&
        input.st_ino == there.st_ino) {
        throw std::runtime_error(fmt::format("{}: cannot write: it is the input", path));
    }
    if (::access(path.c_str(), W_OK) != 0) {
        throw system_error(path, "write", errno);
    }
}

/// Takes room for `bytes` where the file system knows how to: a full disk is found now, not half way through.
void reserve(int fd, const std::string& path, std::int64_t bytes)
{
    int code = bytes > 0 ? ::fallocate(fd, 0, 0, bytes) : 0;
    code = code == 0 ? 0 : errno;
    if (code != 0 && code != EOPNOTSUPP && code != ENOSYS) {
        throw system_error(path, fmt::format("take {} bytes of disk", bytes), code);
    }
}

/// Makes an empty file of a name not yet taken beside `path`, with the rights that a new file would get.
std::string make_temporary(const std::string& path, std::int64_t bytes)
{
    std::string name = path + ".part-XXXXXX";
    const int fd = ::mkstemp(name.data());
    if (fd < 0) {
        throw system_error(path, "write", errno);
    }
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(fd, 0666 & ~mask);
    try {
        reserve(fd, path, bytes);
    } catch (...) {
        ::unlink(name.c_str());
        ::close(fd);
        throw;
    }
    ::close(fd);
    return name;
}

} // namespace

output_file::output_file(MPI_Comm comm, std::string path, const std::string& input_path, std::int64_t bytes)
    : comm_(comm), path_(std::move(path))
{
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    first_rank_ = rank == 0;
    together(comm, [&] {
        if (first_rank_) {
            require_replaceable(path_, input_path);
            temporary_path_ = make_temporary(path_, bytes);
        }
    });
    temporary_path_ = broadcast(comm, temporary_path_);
    try {
        together(comm, [&] {
            if (::access(temporary_path_.c_str(), W_OK) != 0) {
                throw system_error(temporary_path_, "write", errno);
            }
        });
    } catch (...) {
        if (first_rank_) {
            ::unlink(temporary_path_.c_str());
        }
        throw;
    }
}

output_file::~output_file()
{
    if (first_rank_ && !temporary_path_.empty()) {
        ::unlink(temporary_path_.c_str());
    }
}

void output_file::write_head(std::string_view head)
{
    together(comm_, [&] {
        if (!first_rank_ || head.empty()) {
            return;
        }
        const int fd = ::open(temporary_path_.c_str(), O_WRONLY | O_CLOEXEC);
        const bool written =
            fd >= 0 && ::pwrite(fd, head.data(), head.size(), 0) == static_cast<ssize_t>(head.size());
        const int code = errno;
        if (fd >= 0 && ::close(fd) != 0) {
            throw system_error(path_, "write", errno);
        }
        if (!written) {
            throw system_error(path_, "write", code);
        }
    });
}

void output_file::commit()
{
    together(comm_, [&] {
        if (first_rank_ && std::rename(temporary_path_.c_str(), path_.c_str()) != 0) {
            throw system_error(path_, "rename the complete file to", errno);
        }
    });
    temporary_path_.clear();
}

} // namespace field_stats
