// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a kernel sees of the mailboxes of one NVLink domain: plain pointers, no NCCL header.
// rankfold/device/mailbox.cuh is the protocol over it.
#pragma once

#include "rankfold/operation.hpp"

namespace rankfold::device {

/// Filled in by the communicator. The kernels of one communicator run one after another.
struct mailbox_view {
    std::uint64_t* const* peers; ///< in device memory: the mailbox of every rank, as this GPU addresses it
    std::uint64_t* own;          ///< == peers[rank]; mailbox_words() words, zero at first
    int rank;
    int count;             ///< ranks
    int slot_words;        ///< 32-bit words per rank: those of a slot, and as many more as a payload may need
    std::uint32_t* epoch;  ///< in device memory: number of the last exchange; 0 at first, and never again
    failure_word* failure; ///< sticky; nothing is sent or awaited once it is set
    failure_word* failure_mirror; ///< null, or the same for the host
    const std::uint32_t* abort;   ///< null, or a word that ends every wait when it is not 0
    std::uint64_t timeout_ns;     ///< of one exchange
};

/// 64-bit words of a mailbox: two halves of a slot per rank.
constexpr std::size_t mailbox_words(int ranks, int slot_words)
{
    return std::size_t{2} * static_cast<std::size_t>(ranks) * static_cast<std::size_t>(slot_words);
}

} // namespace rankfold::device
