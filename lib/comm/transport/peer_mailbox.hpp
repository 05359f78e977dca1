// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The mailboxes of transport `peer`, in memory that NCCL maps into every GPU of an NVLink domain.
// peer_mailbox.cu uses NCCL's device API (2.28 and later); peer_mailbox_none.cpp stands in elsewhere and says
// why.
#pragma once

#include "rankfold/mpi.hpp"
#include "rankfold/operation.hpp"

#include <memory>
#include <string>
#include <vector>

struct ncclComm;

namespace rankfold::detail {

struct mailbox_request {
    ncclComm* comm;
    MPI_Comm mpi;
    int rank;
    int size;
    double timeout_s;    ///< of an exchange
    double set_up_s;     ///< of set-up
    CUstream_st* stream; ///< of set-up work
    CUstream_st* rescue; ///< for what has to be read while other streams wait
};

class peer_mailbox {
public:
    /// Collective. Null on all ranks if one cannot; then `why_not` says why on the ranks that cannot.
    static std::unique_ptr<peer_mailbox> make(const mailbox_request& request, std::string& why_not);

    virtual ~peer_mailbox() = default;
    [[nodiscard]] virtual const device::mailbox_view& view() const noexcept = 0;
    /// One exchange by itself, in stream order. What goes wrong is in the failure word, with the number of
    /// the call. Capturable.
    virtual void run(const fingerprint& head, const device::payload& row, const place& where) = 0;
    /// Ranks whose fingerprint of the exchange that failed is not in this rank's mailbox; none where that
    /// cannot be read in time. Blocks, and waits for no other stream.
    [[nodiscard]] virtual std::vector<int> missing() const = 0;
    /// Goes on as if there had been so many calls that about `calls` are left before epochs repeat (tests).
    /// All ranks, between calls, after equally many. Blocks.
    virtual void approach_wrap(std::uint32_t calls) = 0;
    /// Device memory held.
    [[nodiscard]] virtual std::size_t bytes() const noexcept = 0;
    /// Ends all waits of this rank's kernels.
    virtual void abort() noexcept = 0;
};

/// 32-bit words of a rank's slot in the mailbox: the largest call there is.
inline constexpr int mailbox_slot_words = (sizeof(fingerprint) + max_row_bytes) / 4;

} // namespace rankfold::detail
