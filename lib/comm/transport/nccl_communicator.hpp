// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A communicator of NCCL that comes to be, and ends, in bounded time.
#pragma once

#include "rankfold/mpi.hpp"

#include <atomic>
#include <memory>

struct ncclComm;

namespace rankfold::detail {

/// Version codes of NCCL; both 0 without it.
struct nccl_versions {
    int build;
    int runtime;
};
nccl_versions versions_of_nccl();

class nccl_communicator {
public:
    /// Collective over `comm`; the unique id travels over it, without a socket of ours.
    /// @throws error (backend), on all ranks, naming those that failed, or did not come within `seconds`
    nccl_communicator(MPI_Comm comm, int device, double seconds);
    /// The ranks of `parent` with the same colour, ordered by key; none where the colour is negative.
    /// Collective over `comm`, the ranks of the parent. @throws as above
    nccl_communicator(const nccl_communicator& parent, MPI_Comm comm, int device, int colour, int key,
                      double seconds);
    /// Of one that has not failed.
    ~nccl_communicator();
    nccl_communicator(const nccl_communicator&) = delete;
    nccl_communicator& operator=(const nccl_communicator&) = delete;

    /// Null for a rank without a colour, and after abort.
    [[nodiscard]] ncclComm* handle() const noexcept { return comm_.load(std::memory_order_acquire); }
    /// An error of NCCL that came up since, or null.
    [[nodiscard]] const char* asynchronous_error() const noexcept;
    /// Ends what is queued. Any thread. False if NCCL does not come back within `seconds`: then what it holds
    /// is left behind.
    bool abort(double seconds) noexcept;

private:
    std::atomic<ncclComm*> comm_{nullptr};
};

} // namespace rankfold::detail
