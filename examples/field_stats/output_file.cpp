// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "output_file.hpp"

#include "interrupt.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace field_stats {
namespace {

std::runtime_error system_error(const std::string& path, std::string_view what, int code)
{
    return std::runtime_error(fmt::format("{}: cannot {}: {}", path, what, std::strerror(code)));
}

/// The file that symbolic links lead to, which need not be there: renaming over a link would lose the link.
std::string behind_links(const std::string& path)
{
    namespace fs = std::filesystem;
    fs::path at = path;
    std::error_code failed;
    for (int links = 0; fs::is_symlink(at, failed); ++links) {
        if (links == 40) { // what Linux allows
            throw system_error(path, "write", ELOOP);
        }
        at = at.parent_path() / fs::read_symlink(at, failed);
    }
    return at.string();
}

/// What has the name already, if it may be replaced: renaming over a device or the input would destroy it.
std::optional<struct stat> replaceable(const std::string& path, const std::string& input_path)
{
    struct stat there {};
    struct stat input {};
    if (::stat(path.c_str(), &there) != 0) {
        return std::nullopt; // not there, or the folder is not: creating the file will tell
    }
    if (!S_ISREG(there.st_mode)) {
        throw std::runtime_error(fmt::format("{}: cannot write: not a regular file", path));
    }
    if (::stat(input_path.c_str(), &input) == 0 && input.st_dev == there.st_dev &&
        input.st_ino == there.st_ino) {
        throw std::runtime_error(fmt::format("{}: cannot write: it is the input", path));
    }
    if (there.st_nlink > 1) {
        throw std::runtime_error(fmt::format(
            "{}: cannot write: the file has {} names (hard links), and the others would keep what "
            "it holds now; remove this one first, or name another file",
            path, there.st_nlink));
    }
    if (::access(path.c_str(), W_OK) != 0) {
        throw system_error(path, "write", errno);
    }
    return there;
}

/// Owner and rights of what is replaced, or those that a new file gets.
void set_rights(int fd, const std::string& path, const std::optional<struct stat>& old)
{
    struct stat made {};
    ::fstat(fd, &made);
    if (old && (old->st_uid != made.st_uid || old->st_gid != made.st_gid) &&
        ::fchown(fd, old->st_uid, old->st_gid) != 0) {
        throw std::runtime_error(
            fmt::format("{}: cannot write: the file belongs to user {}, group {}, and what "
                        "replaces it would not ({}); remove it, or name another file",
                        path, old->st_uid, old->st_gid, std::strerror(errno)));
    }
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::fchmod(fd, old ? old->st_mode & 0777 : 0666 & ~mask) != 0) {
        throw system_error(path, "set the rights of", errno);
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

void remove_temporary(const std::string& name)
{
    ::unlink(name.c_str());
    remove_if_interrupted("");
}

/// Makes an empty file of a name not yet taken beside `path`.
std::string make_temporary(const std::string& path, const std::optional<struct stat>& old, std::int64_t bytes)
{
    std::string name = path + ".part-XXXXXX";
    const int fd = ::mkstemp(name.data());
    if (fd < 0 && old) {
        throw std::runtime_error(
            fmt::format("{}: cannot write beside it, from where a complete file takes its "
                        "name: {}; name a file in a folder that is writable",
                        path, std::strerror(errno)));
    }
    if (fd < 0) {
        throw system_error(path, "write", errno);
    }
    remove_if_interrupted(name);
    try {
        set_rights(fd, path, old);
        reserve(fd, path, bytes);
    } catch (...) {
        remove_temporary(name);
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
            path_ = behind_links(path_);
            temporary_path_ = make_temporary(path_, replaceable(path_, input_path), bytes);
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
            remove_temporary(temporary_path_);
        }
        throw;
    }
}

output_file::~output_file()
{
    if (first_rank_ && !temporary_path_.empty()) {
        remove_temporary(temporary_path_);
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
    if (first_rank_) {
        remove_if_interrupted("");
    }
}

} // namespace field_stats
