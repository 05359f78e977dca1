// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "rankfold/mpi.hpp"

#include <utility>

namespace rankfold::detail {

/// An MPI communicator that is freed with its owner. That is collective: a rank that cannot count on the
/// others takes it out by leak().
class owned_comm {
public:
    owned_comm() = default;
    explicit owned_comm(MPI_Comm comm) noexcept : comm_(comm) {}
    owned_comm(owned_comm&& other) noexcept : comm_(other.leak()) {}
    owned_comm& operator=(owned_comm&& other) noexcept
    {
        std::swap(comm_, other.comm_);
        return *this;
    }
    ~owned_comm()
    {
        int finalised = 0;
        MPI_Finalized(&finalised);
        if (comm_ != MPI_COMM_NULL && !finalised) {
            MPI_Comm_free(&comm_);
        }
    }

    [[nodiscard]] MPI_Comm get() const noexcept { return comm_; }
    MPI_Comm leak() noexcept { return std::exchange(comm_, MPI_COMM_NULL); }

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

} // namespace rankfold::detail
