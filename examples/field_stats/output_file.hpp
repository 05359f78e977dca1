// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout.hpp"
#include "piece_file.hpp"

#include <mpi.h>
#include <string>

namespace field_stats {

/// A file that all ranks write and that appears whole or not at all: it is written under another name in the
/// same folder and renamed by commit(); an interrupt removes it. Symbolic links are followed, and what has
/// the name already is replaced by a file of the same mode and owner. All calls are collective and throw
/// rankfold::error on every rank.
class output_file {
public:
    /// Reserves `bytes` where the file system can, so that a full disk is found before anything is computed.
    /// @throws if `path` names something other than a regular file, the input, a file that has other names
    /// (hard links) or an owner that cannot be kept, or cannot be written on any rank
    output_file(MPI_Comm comm, std::string path, const std::string& input_path, std::int64_t bytes);
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;
    /// Removes what was not committed.
    ~output_file();

    [[nodiscard]] const std::string& temporary_path() const { return temporary_path_; }
    /// Writes the head of the file (rank 0's).
    void write_head(std::string_view head);
    /// Gives the file its name, in place of what had it.
    void commit();

private:
    MPI_Comm comm_;
    bool first_rank_;
    std::string path_;
    std::string temporary_path_;
};

/// The prefix sums as an .npy file where `path` ends so, else as raw numbers; little-endian. `mine` is this
/// rank's piece of `where.count` numbers of the type `type`; its bytes are swapped on a big-endian machine.
template <class T>
void write_field(MPI_Comm comm, output_file& file, std::string_view head, std::int64_t count,
                 std::span<T> mine, progress& bar)
{
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    constexpr auto width = static_cast<std::int64_t>(sizeof(T));
    to_native(mine, std::endian::little);
    file.write_head(head);
    write_bytes(
        {.comm = comm,
         .path = file.temporary_path(),
         .offset_bytes = static_cast<std::int64_t>(head.size()) + piece_of(count, rank, ranks).first * width},
        std::as_bytes(mine), bar);
    file.commit();
}

} // namespace field_stats
