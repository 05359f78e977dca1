// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "piece_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <unistd.h>

namespace field_stats {
namespace {

/// A file that all ranks have open. Where opening fails on some ranks only, the others leave it open: closing
/// is collective.
class shared_file {
public:
    shared_file(MPI_Comm comm, const std::string& path, int mode, int access_mode)
    {
        together(comm, [&] { // MPI would find out too late that one rank cannot
            if (::access(path.c_str(), access_mode) != 0) {
                throw std::runtime_error(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
            }
        });
        together(comm, [&] {
            check_mpi(MPI_File_open(comm, path.c_str(), mode, MPI_INFO_NULL, &file_),
                      path + ": MPI_File_open");
        });
    }
    shared_file(const shared_file&) = delete;
    shared_file& operator=(const shared_file&) = delete;
    ~shared_file()
    {
        if (file_ != MPI_FILE_NULL) {
            MPI_File_close(&file_);
        }
    }

    /// Collective; what was written is on the disk, or every rank throws.
    void finish(MPI_Comm comm, const std::string& path)
    {
        together(comm, [&] { check_mpi(MPI_File_sync(file_), path + ": MPI_File_sync"); });
        together(comm, [&] { check_mpi(MPI_File_close(&file_), path + ": MPI_File_close"); });
    }
    [[nodiscard]] MPI_File handle() const { return file_; }

private:
    MPI_File file_ = MPI_FILE_NULL;
};

/// Calls move(offset in the piece, bytes, status) in rounds until the piece is done or a problem met, and
/// agrees on it.
template <class Move>
void in_rounds(const transfer& how, std::string_view verb, std::int64_t bytes, progress& bar, Move&& move)
{
    int ranks = 0;
    MPI_Comm_size(how.comm, &ranks);
    std::string problem;
    for (std::int64_t done = 0; done < bytes && problem.empty(); done += how.round_bytes) {
        const std::int64_t now = std::min(bytes - done, how.round_bytes);
        MPI_Status status{};
        const int code = move(done, static_cast<int>(now), &status);
        int moved = 0;
        MPI_Get_count(&status, MPI_BYTE, &moved);
        if (code != MPI_SUCCESS || moved != now) {
            problem =
                fmt::format("{}: {} {} bytes at byte {}: {}", how.path, verb, now, how.offset_bytes + done,
                            code != MPI_SUCCESS ? mpi_text(code) : fmt::format("only {} moved", moved));
        }
        bar.add(now * ranks);
    }
    agree(how.comm, problem);
}

} // namespace

piece piece_of(std::int64_t count, int rank, int ranks)
{
    const std::int64_t share = count / ranks;
    const std::int64_t longer = count % ranks;
    return {share * rank + std::min<std::int64_t>(rank, longer), share + (rank < longer ? 1 : 0)};
}

// The file is opened by all ranks together, and each moves its piece by itself. MPI_File_read_at_all and
// MPI_File_write_at_all of Open MPI 4.1 do not tell of a file that has become shorter; when the disk is full
// they hang on two ranks and lose data on seven. Pieces are contiguous, so that collective buffering would
// gain nothing.

void read_bytes(const transfer& how, std::span<std::byte> into, progress& bar)
{
    const shared_file file(how.comm, how.path, MPI_MODE_RDONLY, R_OK);
    const auto move = [&](std::int64_t from, int bytes, MPI_Status* status) {
        return MPI_File_read_at(file.handle(), how.offset_bytes + from, into.data() + from, bytes, MPI_BYTE,
                                status);
    };
    in_rounds(how, "reading", static_cast<std::int64_t>(into.size()), bar, move);
}

void write_bytes(const transfer& how, std::span<const std::byte> from, progress& bar)
{
    shared_file file(how.comm, how.path, MPI_MODE_WRONLY, W_OK);
    const auto move = [&](std::int64_t at, int bytes, MPI_Status* status) {
        return MPI_File_write_at(file.handle(), how.offset_bytes + at, from.data() + at, bytes, MPI_BYTE,
                                 status);
    };
    in_rounds(how, "writing", static_cast<std::int64_t>(from.size()), bar, move);
    file.finish(how.comm, how.path);
}

} // namespace field_stats
