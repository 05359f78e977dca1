// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collective MPI-IO on one file of which every rank has a piece.
#pragma once

#include "bytes.hpp"
#include "layout.hpp"
#include "progress.hpp"
#include "together.hpp"

#include <mpi.h>
#include <vector>

namespace field_stats {

/// The consecutive numbers of one rank.
struct piece {
    std::int64_t first;
    std::int64_t count;
};

/// An even cut: lengths differ by one at most, longer ones first.
[[nodiscard]] piece piece_of(std::int64_t count, int rank, int ranks);

/// How bytes of all ranks move between memory and file.
struct transfer {
    MPI_Comm comm;
    std::string path;
    std::int64_t offset_bytes;                         ///< in the file, of this rank's first byte
    std::int64_t round_bytes = std::int64_t{32} << 20; ///< below INT_MAX, the largest count of MPI 3.1
};

/// Collective. @throws rankfold::error on every rank if any fails or finds the file too short
void read_bytes(const transfer& how, std::span<std::byte> into, progress& bar);
/// Collective; the file must exist. @throws rankfold::error on every rank if any fails or writes too little
void write_bytes(const transfer& how, std::span<const std::byte> from, progress& bar);

/// This rank's piece of the field. Collective; throws as read_bytes, and if memory is short on any rank.
template <class T>
std::vector<T> read_piece(MPI_Comm comm, const std::string& path, const layout& where, progress& bar)
{
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const piece mine = piece_of(where.count, rank, ranks);
    auto values = together(comm, [&] { return std::vector<T>(static_cast<std::size_t>(mine.count)); });
    constexpr auto width = static_cast<std::int64_t>(sizeof(T));
    read_bytes({.comm = comm, .path = path, .offset_bytes = where.offset_bytes + mine.first * width},
               std::as_writable_bytes(std::span(values)), bar);
    to_native(std::span(values), where.endian);
    return values;
}

} // namespace field_stats
