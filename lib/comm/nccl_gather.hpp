// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every rank gets every rank's block in device memory, in stream order, through NCCL. nccl_gather.cpp calls
// NCCL; nccl_gather_none.cpp stands in where the library is built without it.
#pragma once

#include "rankfold/mpi.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

struct CUstream_st;
struct ncclComm;

namespace rankfold::detail {

/// Version codes of NCCL; both 0 without it.
struct nccl_versions {
    int build;
    int runtime;
};
nccl_versions versions_of_nccl();

class nccl_gather {
public:
    /// Collective; the unique id travels over `comm`, without a socket of ours.
    static std::unique_ptr<nccl_gather> make(MPI_Comm comm, int rank, int size);

    virtual ~nccl_gather() = default;
    /// Own block at `own`, all blocks to `blocks`; `own` may be blocks + rank * bytes. Capturable.
    virtual void run(const std::byte* own, std::byte* blocks, std::size_t bytes, CUstream_st* stream) = 0;
    /// NCCL's communicator, for its device API.
    [[nodiscard]] virtual ncclComm* handle() const noexcept = 0;
    /// An error of NCCL that came up since, or null.
    virtual const char* asynchronous_error() = 0;
    /// Ends what is queued; afterwards only destruction. Returns within `seconds`; else NCCL's resources are
    /// leaked.
    virtual bool abort(double seconds) noexcept = 0;
};

/// From this many ranks on slots are gathered by an all-reduce of zero-padded slots, whose time grows with
/// log p, instead of an all-gather, whose time grows with p.
inline constexpr int all_reduce_ranks = 128;

} // namespace rankfold::detail
