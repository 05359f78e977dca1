// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a kernel sees of the mailboxes of one NVLink domain: plain pointers, no NCCL header.
// rankfold/device/mailbox.cuh is the protocol over it.
#pragma once

#include "rankfold/config.hpp"

#include <cstddef>
#include <cstdint>

namespace rankfold::device {

/// Most ranks that exchange through mailboxes: the GPUs of the largest NVLink domain there is.
inline constexpr int max_mailbox_ranks = 72;

/// Filled in by the communicator, whose exchanges follow one another.
struct mailbox_view {
    std::uint64_t* const* peers =
        nullptr;                  ///< in device memory: the mailbox of every rank, as this GPU addresses it
    std::uint64_t* own = nullptr; ///< == peers[rank]; mailbox_words() words, zero at first
    int rank = 0;
    int count = 1;      ///< ranks; 1: nobody to exchange with, and nothing else here is used
    int slot_words = 0; ///< 32-bit words per rank: fingerprint and the largest payload
    std::uint32_t* epoch =
        nullptr; ///< in device memory: number of the last exchange, 0 at first, and whose turn it is
    const std::uint32_t* abort = nullptr; ///< null, or a word that ends every wait when it is not 0
    std::uint64_t timeout_ns = 0;         ///< of one exchange
};

/// What a rank sends, and where what all ranks send goes; both may lie in shared or in device memory.
struct payload {
    const std::uint32_t* own = nullptr;
    int words = 0;                     ///< the same on all ranks that agree
    std::uint32_t* received = nullptr; ///< of rank 0; may be read after the next barrier
    int stride_words = 0;              ///< to the next rank's
};

/// 64-bit words of a mailbox: two halves of a slot per rank.
constexpr std::size_t mailbox_words(int ranks, int slot_words)
{
    return std::size_t{2} * static_cast<std::size_t>(ranks) * static_cast<std::size_t>(slot_words);
}

} // namespace rankfold::device
