// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every rank gets every rank's block in device memory, in stream order, through NCCL: among all ranks alike
// (nccl_gather.cpp), or within nodes by mailboxes and between them by NCCL (node_gather.cu). nccl_none.cpp
// stands in where the library is built without NCCL.
#pragma once

#include "setup/rank_info.hpp"
#include "transport/nccl_communicator.hpp"
#include "transport/peer_mailbox.hpp"

#include "rankfold/operation.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace rankfold::detail {

class device_gather {
public:
    virtual ~device_gather() = default;
    /// Own block at `own`, all blocks to `blocks`; `own` may be blocks + rank * bytes. Capturable.
    virtual void run(const std::byte* own, std::byte* blocks, std::size_t bytes, const place& where) = 0;
    /// Ranks known not to have come to the exchange that failed. Blocks.
    [[nodiscard]] virtual std::vector<int> missing() const { return {}; }
    /// Ends what is queued. Any thread. False if that took longer than `seconds`.
    virtual bool abort(double seconds) noexcept = 0;
    /// Device memory held.
    [[nodiscard]] virtual std::size_t bytes() const noexcept { return 0; }
};

/// From this many ranks on blocks are gathered by an all-reduce of zero-padded blocks, whose time grows with
/// log p, instead of an all-gather, whose time grows with p.
inline constexpr int all_reduce_ranks = 128;

/// @param comm  outlives the gather
std::unique_ptr<device_gather> make_nccl_gather(nccl_communicator& comm, int rank, int size);

struct node_gather_request {
    nccl_communicator& whole; ///< of all ranks
    MPI_Comm mpi;             ///< the same
    const node_layout& layout;
    int rank;
    int device;
    mailbox_request mailbox; ///< all but comm, mpi, rank and size
};

/// Collective. Null on all ranks if the ranks of a node cannot reach each other's memory on one of them; then
/// `why_not` says why there.
std::unique_ptr<device_gather> make_node_gather(const node_gather_request& request, std::string& why_not);

} // namespace rankfold::detail
