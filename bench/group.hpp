// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks of a run, for the few things they agree on. A process started without mpirun is a group of one.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace rankfold::bench {

class group {
public:
    explicit group(MPI_Comm comm);

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] MPI_Comm comm() const { return comm_; }

    // Collective, each.
    [[nodiscard]] double largest(double mine) const;
    [[nodiscard]] std::int64_t sum(std::int64_t mine) const;
    [[nodiscard]] std::int64_t sum_below(std::int64_t mine) const; ///< over the lower ranks
    [[nodiscard]] bool all(bool mine) const;
    /// True where no two ranks have the same `bytes` at `mine`.
    [[nodiscard]] bool all_different(const void* mine, std::size_t bytes) const;

private:
    MPI_Comm comm_;
    int rank_ = 0;
    int size_ = 1;
};

} // namespace rankfold::bench
