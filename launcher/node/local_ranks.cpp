// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// 1. Each rank appends "rank line" to the file and locks the byte of its number as long as it lives or waits.
// 2. It reads until all ranks are there. 3. It appends "done rank"; who sees all of them done removes the
// file. A line without "done" whose byte nobody locks is of a rank that was killed: then the file is removed,
// and who still waits in it begins again. Reading and appending happen under a lock of the whole file.
#include "node/local_ranks.hpp"

#include "process/launch_error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace rankfold::launcher {
namespace {

constexpr std::chrono::milliseconds pause{2};

struct flock flock_of(int rank)
{
    struct flock byte {};
    byte.l_type = F_WRLCK;
    byte.l_whence = SEEK_SET;
    byte.l_start = rank;
    byte.l_len = 1;
    return byte;
}

class meeting_file {
public:
    explicit meeting_file(const std::string& path)
        : path_(path), file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_APPEND, 0600))
    {
        if (file_ < 0 || status().st_uid != geteuid()) {
            const int reason = file_ < 0 ? errno : EPERM;
            close_if_open();
            refuse("cannot meet the other ranks of this node in", reason);
        }
    }
    ~meeting_file() { close_if_open(); }
    meeting_file(const meeting_file&) = delete;
    meeting_file& operator=(const meeting_file&) = delete;

    void lock() const
    {
        while (flock(file_, LOCK_EX) != 0) {
            if (errno != EINTR) {
                refuse("cannot lock", errno);
            }
        }
    }
    void unlock() const { flock(file_, LOCK_UN); }

    /// Another rank may have removed it between opening and locking, or while this one waited.
    bool removed() const { return status().st_nlink == 0; }

    std::string text() const
    {
        std::string all;
        std::array<char, 4096> buffer{};
        for (ssize_t got = 0;
             (got = pread(file_, buffer.data(), buffer.size(), static_cast<off_t>(all.size()))) > 0;) {
            all.append(buffer.data(), static_cast<std::size_t>(got));
        }
        return all;
    }

    void append(const std::string& line) const
    {
        if (write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
            refuse("cannot write to", errno);
        }
    }

    void remove() const { unlink(path_.c_str()); }

    // The kernel drops this lock when the process ends, however it ends.
    void show_presence(int rank) const
    {
        struct flock byte = flock_of(rank);
        if (fcntl(file_, F_OFD_SETLK, &byte) != 0 && errno != EINVAL) {
            refuse("cannot lock a byte of", errno);
        }
    }

    // Of other ranks; a kernel without such locks (EINVAL) cannot tell, and then all count as present.
    bool is_present(int rank) const
    {
        struct flock byte = flock_of(rank);
        return fcntl(file_, F_OFD_GETLK, &byte) != 0 || byte.l_type != F_UNLCK;
    }

private:
    struct stat status() const
    {
        struct stat result {};
        if (fstat(file_, &result) != 0) {
            refuse("cannot look at", errno);
        }
        return result;
    }

    [[noreturn]] void refuse(const std::string& what, int reason) const
    {
        throw launch_error(what + " '" + path_ + "': " + std::strerror(reason));
    }

    void close_if_open() const
    {
        if (file_ >= 0) {
            close(file_);
        }
    }

    std::string path_;
    int file_;
};

struct board {
    std::vector<std::optional<std::string>> lines; // by rank; nothing: has not come yet
    std::vector<bool> done;

    bool has(int rank) const { return lines[static_cast<std::size_t>(rank)].has_value(); }
    bool complete() const
    {
        return std::all_of(lines.begin(), lines.end(), [](const auto& line) { return line.has_value(); });
    }
    bool all_done() const { return std::find(done.begin(), done.end(), false) == done.end(); }

    std::string missing() const
    {
        std::string list;
        for (std::size_t rank = 0; rank < lines.size(); ++rank) {
            if (!lines[rank]) {
                list.append(list.empty() ? "" : ", ").append(std::to_string(rank));
            }
        }
        return list;
    }
};

// Words that are no rank of this size are another job's or garbage: left out.
board read_board(const std::string& text, int size)
{
    const auto count = static_cast<std::size_t>(size);
    board result{.lines = std::vector<std::optional<std::string>>(count), .done = std::vector<bool>(count)};
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        const bool is_done = line.starts_with("done ");
        std::istringstream words(is_done ? line.substr(5) : line);
        std::size_t rank = count;
        if (!(words >> rank) || rank >= count) {
            continue;
        }
        if (is_done) {
            result.done[rank] = true;
        } else if (!result.lines[rank]) {
            std::string rest;
            std::getline(words.ignore(1), rest);
            result.lines[rank] = rest;
        }
    }
    return result;
}

class meeting {
public:
    meeting(std::string path, int rank, int size, std::string line)
        : path_(std::move(path)), rank_(rank), size_(size), line_(std::move(line))
    {
    }

    /// One attempt. @return everybody's lines once all are there
    std::optional<std::vector<std::string>> attempt()
    {
        if (!file_) {
            file_ = std::make_unique<meeting_file>(path_);
        }
        file_->lock();
        std::optional<std::vector<std::string>> lines;
        const bool stays = !file_->removed() && look(lines);
        if (stays) {
            file_->unlock();
        } else {
            leave();
        }
        return lines;
    }

    /// For whom it waits, as the subject of a sentence.
    std::string awaited() const
    {
        return joined_ ? "local ranks " + seen_.missing() + " of " + std::to_string(size_) + " did not report"
                       : "an earlier start of the same job did not end";
    }

private:
    // @return whether the file is still the one to meet in
    bool look(std::optional<std::vector<std::string>>& lines)
    {
        seen_ = read_board(file_->text(), size_);
        if (is_remains()) {
            file_->remove();
            return false;
        }
        if (!joined_ && !seen_.has(rank_)) { // else an earlier round has not ended
            file_->show_presence(rank_);
            file_->append(std::to_string(rank_) + " " + line_ + "\n");
            joined_ = true;
            seen_.lines[static_cast<std::size_t>(rank_)] = line_;
        }
        if (joined_ && seen_.complete()) {
            lines = finish();
        }
        return true;
    }

    // Of a start whose ranks were killed before they had finished.
    bool is_remains() const
    {
        for (int rank = 0; rank < size_; ++rank) {
            const bool waits = seen_.has(rank) && !seen_.done[static_cast<std::size_t>(rank)];
            const bool is_this = joined_ && rank == rank_;
            if (waits && !is_this && !file_->is_present(rank)) {
                return true;
            }
        }
        return seen_.all_done();
    }

    std::vector<std::string> finish()
    {
        file_->append("done " + std::to_string(rank_) + "\n");
        seen_.done[static_cast<std::size_t>(rank_)] = true;
        if (seen_.all_done()) {
            file_->remove();
        }
        std::vector<std::string> lines;
        for (const std::optional<std::string>& line : seen_.lines) {
            lines.push_back(*line);
        }
        return lines;
    }

    void leave()
    {
        file_.reset();
        joined_ = false;
    }

    std::string path_;
    int rank_;
    int size_;
    std::string line_;
    std::unique_ptr<meeting_file> file_;
    board seen_;
    bool joined_ = false;
};

} // namespace

std::vector<std::string> exchange_with_local_ranks(const std::string& folder, const std::string& job,
                                                   int rank, int size, const std::string& line,
                                                   std::chrono::milliseconds patience)
{
    const std::string path = folder + "/rankfold-run." + std::to_string(geteuid()) + "." + job;
    const auto deadline = std::chrono::steady_clock::now() + patience;
    meeting with_others(path, rank, size, line);
    for (;;) {
        if (const auto lines = with_others.attempt()) {
            return *lines;
        }
        if (std::chrono::steady_clock::now() > deadline) {
            throw launch_error(
                with_others.awaited() + " within " + std::to_string(patience.count()) + " ms in '" + path +
                "': start all of them through rankfold-run, or pass --no-bind and leave the starter's "
                "binding as it is");
        }
        std::this_thread::sleep_for(pause);
    }
}

} // namespace rankfold::launcher
