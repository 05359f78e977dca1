// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
// 1. Each rank appends "rank line" under a lock. 2. It reads until all ranks are there. 3. It appends "done
// rank"; who sees all of them done removes the file. A file that already holds this rank is of an earlier
// round: wait for its end.
#include "siblings.hpp"

#include "launch_error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace rankfold::launcher {
namespace {

constexpr std::chrono::milliseconds pause{2};

class locked_file {
public:
    explicit locked_file(const std::string& path)
        : path_(path), file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_APPEND, 0600))
    {
        struct stat status {};
        if (file_ < 0 || flock(file_, LOCK_EX) != 0 || fstat(file_, &status) != 0 ||
            status.st_uid != geteuid())
            throw launch_error("cannot meet the other ranks of this node in '" + path +
                               "': " + std::strerror(errno));
        removed_ = status.st_nlink == 0;
    }
    ~locked_file() { close(file_); }
    locked_file(const locked_file&) = delete;
    locked_file& operator=(const locked_file&) = delete;

    bool removed() const { return removed_; } ///< between opening and locking

    std::string text() const
    {
        std::string all;
        std::array<char, 4096> buffer{};
        for (ssize_t got = 0;
             (got = pread(file_, buffer.data(), buffer.size(), static_cast<off_t>(all.size()))) > 0;)
            all.append(buffer.data(), static_cast<std::size_t>(got));
        return all;
    }

    void append(const std::string& line) const
    {
        if (write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
            throw launch_error("cannot write to '" + path_ + "': " + std::strerror(errno));
    }

    void remove() const { unlink(path_.c_str()); }

private:
    std::string path_;
    int file_;
    bool removed_ = false;
};

struct board {
    std::vector<std::string> lines;
    int present = 0;
    int done = 0;
    bool has(int rank) const { return !lines[static_cast<std::size_t>(rank)].empty(); }
};

board read_board(const std::string& text, int size)
{
    board result{.lines = std::vector<std::string>(static_cast<std::size_t>(size))};
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        std::istringstream words(line);
        std::string first;
        words >> first;
        if (first == "done") {
            ++result.done;
            continue;
        }
        const std::size_t rank = std::stoul(first);
        if (rank < result.lines.size() && result.lines[rank].empty()) {
            result.lines[rank] = line.substr(first.size() + 1);
            ++result.present;
        }
    }
    return result;
}

void wait_until(const std::function<bool()>& arrived, std::chrono::milliseconds patience,
                const std::string& path)
{
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!arrived()) {
        if (std::chrono::steady_clock::now() > deadline)
            throw launch_error(
                "the other ranks of this node did not report within " + std::to_string(patience.count()) +
                " ms in '" + path +
                "': start all of them through rankfold-run, or pass --no-bind and leave the starter's "
                "binding as it is");
        std::this_thread::sleep_for(pause);
    }
}

} // namespace

std::vector<std::string> exchange_with_siblings(const std::string& folder, const std::string& job, int rank,
                                                int size, const std::string& line,
                                                std::chrono::milliseconds patience)
{
    const std::string path = folder + "/rankfold-run." + std::to_string(geteuid()) + "." + job;
    const std::string mine = std::to_string(rank);
    wait_until(
        [&] {
            const locked_file file(path);
            if (file.removed() || read_board(file.text(), size).has(rank))
                return false;
            file.append(mine + " " + line + "\n");
            return true;
        },
        patience, path);
    board seen;
    wait_until(
        [&] {
            const locked_file file(path);
            seen = read_board(file.text(), size);
            if (seen.present < size)
                return false;
            file.append("done " + mine + "\n");
            if (seen.done + 1 == size)
                file.remove();
            return true;
        },
        patience, path);
    return seen.lines;
}

} // namespace rankfold::launcher
