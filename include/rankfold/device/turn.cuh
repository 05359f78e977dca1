// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whose turn it is to exchange on a rank, and how the other ranks hear that this one has failed.
//
//   1. An exchange begins with its rank's turn, which is a bit beside the epoch of the last one, and ends
//   with giving it back. Finding it taken, a call knows that it overlaps with another: the rank has failed.
//   2. A rank that failed between exchanges tells the others by an error in place of the next fingerprint. In
//   an exchange that fails it sets the error of the fingerprint that it has sent. So the others hear of it
//   when they come there, not by the deadline. Once is enough, and nobody exchanges after that.
//
// Traffic: one atomic; the words of a fingerprint to every rank. Nothing waits.
#pragma once

#include "rankfold/device/failure.cuh"
#include "rankfold/mailbox_view.hpp"

namespace rankfold::device {

/// Numbers of exchanges are epochs: 1 to last_epoch, and again from 2.
inline constexpr std::uint32_t last_epoch = ~std::uint32_t{0} >> 2;
/// Beside the epoch of the last exchange while the next one is under way,
inline constexpr std::uint32_t turn_taken = std::uint32_t{1} << 31;
/// and for ever when the other ranks have been told of a failure.
inline constexpr std::uint32_t failure_told = turn_taken | turn_taken >> 1;

/// The number of the call after call `epoch`. Not 0, the epoch of words never sent; nor 1 after a wrap, which
/// would take the half of the call before.
RANKFOLD_HOST_DEVICE constexpr std::uint32_t epoch_after(std::uint32_t epoch)
{
    return epoch == last_epoch ? 2 : epoch + 1;
}

/// The slot of `rank` in the mailbox `box`.
RANKFOLD_DEVICE std::uint64_t* slot_of(const mailbox_view& view, std::uint64_t* box, int rank,
                                       std::uint32_t epoch)
{
    return box + (static_cast<int>(epoch & 1) * view.count + rank) * view.slot_words;
}

/// The epoch of the last exchange; or turn_taken and above, where the turn is another's.
RANKFOLD_DEVICE std::uint32_t take_turn(const mailbox_view& view)
{
    return simt::atomic_or(view.epoch, turn_taken);
}

/// By one thread that has the turn, and has sent nothing in it.
RANKFOLD_DEVICE_CALL void tell_failure(const mailbox_view& view, std::uint32_t turn, fingerprint head,
                                       errc code)
{
    head.error = static_cast<std::uint8_t>(code);
    const std::uint32_t epoch = epoch_after(turn);
    RANKFOLD_NO_UNROLL
    for (int r = 0; r < view.count; ++r) {
        std::uint64_t* const slot = slot_of(view, view.peers[r], view.rank, epoch);
        RANKFOLD_NO_UNROLL
        for (int w = 0; w < head_words; ++w) {
            simt::store_relaxed<simt::scope::system>(slot + w,
                                                     std::uint64_t{epoch} << 32 | head_word(head, w));
        }
    }
    simt::store_relaxed<simt::scope::device>(view.epoch, turn | failure_told);
}

/// By one thread. False while the turn is another's who has not failed.
RANKFOLD_DEVICE_CALL bool take_turn_and_tell(const mailbox_view& view, const fingerprint& head, errc code)
{
    if (const auto now = simt::load_relaxed<simt::scope::device>(view.epoch); now >= turn_taken) {
        return now >= failure_told;
    }
    const std::uint32_t turn = take_turn(view);
    if (turn < turn_taken) {
        tell_failure(view, turn, head, code);
    }
    return turn < turn_taken || turn >= failure_told;
}

} // namespace rankfold::device
