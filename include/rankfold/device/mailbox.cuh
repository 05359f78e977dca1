// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The exchange of records among the GPUs of one NVLink domain, inside a kernel, by one warp.
//
//   0. Its block takes the turn of the rank (turn.cuh), as early as it knows that it will exchange. Where
//   another call's exchange is under way the rank has failed; it waits for the turn to tell the others.
//   1. The warp pushes fingerprint and payload, as far as a slot takes it, into the mailbox of every rank,
//      its own included.
//   2. It waits in its own mailbox for the fingerprint words of all ranks, and compares them with its own.
//      Payload words that have come by then are kept.
//   3. Where all agree, it pushes what did not fit the slot, and waits for the payload words of all ranks.
//   4. It moves the epoch on and gives the turn back. Where epochs are about to repeat, it first clears the
//   half that it has read.
//
// A word is one 8-byte store { 32 bits of data, 32 bits of epoch }: it proves itself, so no fence is needed.
// Two halves alternate by epoch. A rank pushes into a half again two epochs later, after it has seen the
// fingerprints of the epoch between, which every rank sends after it has read the half: so nothing is
// overwritten unread.
//
// Traffic: 8 bytes per 4 of fingerprint and payload, to every rank. Waits: step 0 for the call that overlaps;
// steps 2 and 3 for the ranks' calls of the same number. They end by the device clock or by the abort word,
// which one lane reads now and then.
#pragma once

#include "rankfold/device/tuning.hpp"
#include "rankfold/device/turn.cuh"

namespace rankfold::device {

/// Payload that travels with the fingerprint.
inline constexpr int first_step_words = slot_payload_bytes / 4;

/// One exchange, by a whole warp.
class mailbox {
public:
    /// What a block fetches ahead into its shared memory, so that no exchange waits for it.
    struct fetched {
        std::uint64_t* peers[max_mailbox_ranks];
        std::uint32_t turn; ///< the epoch of the last exchange, or turn_taken and above: another call's turn
    };

    /// What the first thread has asked for and does not look at yet, so that other loads can follow at once.
    struct opening {
        errc code = errc::success; ///< why the rank has failed before
        std::uint32_t turn = turn_taken;
    };

    /// By the whole block, at its start. The only block of a launch takes the turn and fetches at once,
    /// others `claim` when they know that they are the last.
    RANKFOLD_DEVICE static opening open(const simt::block& block, const mailbox_view& view,
                                        const failure_word* failure, fetched& ahead)
    {
        opening asked;
        if (block.thread() == 0) {
            asked.code = failure_of(failure);
            asked.turn = block.count() == 1 ? take_turn(view) : turn_taken;
        }
        if (block.count() == 1) {
            fetch(block, view, ahead);
        }
        return asked;
    }

    /// By the first thread, later. False if the rank has failed before: then there is no exchange, and the
    /// first block tells.
    RANKFOLD_DEVICE static bool settle(const simt::block& block, const mailbox_view& view,
                                       const fingerprint& head, const opening& asked, fetched& ahead)
    {
        ahead.turn = asked.turn;
        if (asked.code == errc::success) {
            return true;
        }
        if (asked.turn < turn_taken) {
            tell_failure(view, asked.turn, head, asked.code);
        } else if (block.index() == 0) {
            take_turn_and_tell(view, head, asked.code);
        }
        return false;
    }

    /// By the whole last one of several blocks, ahead of what else it waits for.
    RANKFOLD_DEVICE static void claim(const simt::block& block, const mailbox_view& view, fetched& ahead)
    {
        if (block.count() > 1) {
            const bool claims = block.thread() == block.threads() - 1;
            const std::uint32_t turn = claims ? take_turn(view) : turn_taken; // on its way with the addresses
            fetch(block, view, ahead);
            if (claims) {
                ahead.turn = turn;
            }
        }
    }

    /// By one thread of a block that gave up on its own rank: if it has the turn, the others hear why.
    RANKFOLD_DEVICE static void abandon(const mailbox_view& view, const fingerprint& head,
                                        const failure_word* failure, const fetched& ahead)
    {
        if (ahead.turn < turn_taken) {
            tell_failure(view, ahead.turn, head, failure_of(failure));
        }
    }

    RANKFOLD_DEVICE mailbox(const simt::block& block, const mailbox_view& view, const fetched& ahead)
        : block_(block), view_(view), ahead_(ahead), epoch_(epoch_after(ahead.turn)),
          begin_ns_(simt::clock_ns())
    {
    }

    /// Anything but success is in the failure word too.
    RANKFOLD_DEVICE errc run(const fingerprint& head, const payload& row, const failure_report& failure)
    {
        if (ahead_.turn >= turn_taken) {
            if (block_.lane() == 0) {
                report_overlap(head, failure);
            }
            return errc::busy;
        }
        const errc code = exchange(head, row);
        if (code == errc::success) {
            close();
        } else {
            end_failed(head, code, failure);
        }
        return code;
    }

private:
    static constexpr int per_lane = mailbox_words_per_lane;
    static constexpr int batch = per_lane * simt::warp_size;

    /// Words are numbered through: the fingerprints of all ranks, then their payloads.
    struct numbering {
        int ranks;
        int payload_words;

        [[nodiscard]] RANKFOLD_DEVICE int heads() const { return ranks * head_words; }
        [[nodiscard]] RANKFOLD_DEVICE int all() const { return heads() + ranks * payload_words; }
        [[nodiscard]] RANKFOLD_DEVICE int rank(int i) const
        {
            return i < heads() ? i / head_words : (i - heads()) / payload_words;
        }
        /// In the slot of its rank.
        [[nodiscard]] RANKFOLD_DEVICE int word(int i) const
        {
            return i < heads() ? i % head_words : head_words + (i - heads()) % payload_words;
        }
    };

    /// The words of a batch that a lane looks for; 0 where one has not been seen.
    struct arrivals {
        std::uint64_t word[per_lane] = {};
    };

    /// By the last threads of a block, as the first one has enough to wait for.
    RANKFOLD_DEVICE static void fetch(const simt::block& block, const mailbox_view& view, fetched& ahead)
    {
        for (int r = block.threads() - 1 - block.thread(); r < view.count; r += block.threads()) {
            ahead.peers[r] = view.peers[r];
        }
    }

    RANKFOLD_DEVICE errc exchange(const fingerprint& head, const payload& row) const
    {
        const numbering words{view_.count, row.words};
        const int at_once = row.words < first_step_words ? row.words : first_step_words;
        push(0, head_words, [&](int w) { return head_word(head, w); });
        push(head_words, head_words + at_once, [&](int w) { return row.own[w - head_words]; });
        verdict worst;
        for (int first = 0; first < words.all(); first += batch) {
            arrivals seen;
            errc code = errc::success;
            if (first < words.heads()) {
                code = await(words, first, words.heads(), seen);
                judge(words, first, head, seen, worst);
            }
            if (code == errc::success && first < words.heads() && words.heads() <= first + batch) {
                worst.join_lanes(block_);
                code = worst.code();
                if (code == errc::success) {
                    push(head_words + at_once, head_words + row.words,
                         [&](int w) { return row.own[w - head_words]; });
                }
            }
            if (code == errc::success) {
                code = await(words, first, words.all(), seen);
            }
            if (code != errc::success) {
                return code;
            }
            keep(words, first, seen, row);
        }
        block_.sync_warp();
        return errc::success;
    }

    RANKFOLD_DEVICE std::uint64_t* slot_of(std::uint64_t* box, int rank) const
    {
        return device::slot_of(view_, box, rank, epoch_);
    }

    /// By one lane. Where the rank has failed already, somebody else tells.
    RANKFOLD_DEVICE void report_overlap(const fingerprint& head, const failure_report& failure) const
    {
        if (fail(failure, errc::busy)) {
            simt::spin_until([&] { return take_turn_and_tell(view_, head, errc::busy); },
                             [&] { return reason_of_lane() != errc::success; });
        }
    }

    /// Words [first, last) of this rank's slot to every rank.
    template <class Read>
    RANKFOLD_DEVICE void push(int first, int last, Read read) const
    {
        for (int w = first + block_.lane(); w < last; w += simt::warp_size) {
            const std::uint64_t word = std::uint64_t{epoch_} << 32 | read(w);
            for (int r = 0; r < view_.count; ++r) {
                simt::store_relaxed<simt::scope::system>(slot_of(ahead_.peers[r], view_.rank) + w, word);
            }
        }
    }

    /// Looks for the words of the batch at `first` until those before `end` are there.
    RANKFOLD_DEVICE errc await(const numbering& words, int first, int end, arrivals& seen) const
    {
        const std::uint64_t* from[per_lane]; // null: none
        RANKFOLD_UNROLL
        for (int k = 0; k < per_lane; ++k) {
            const int i = first + k * simt::warp_size + block_.lane();
            from[k] = i < words.all() ? slot_of(view_.own, words.rank(i)) + words.word(i) : nullptr;
        }
        errc code = errc::success;
        simt::spin_until(
            [&] {
                bool there = true;
                RANKFOLD_UNROLL
                for (int k = 0; k < per_lane; ++k) {
                    const int i = first + k * simt::warp_size + block_.lane();
                    std::uint64_t& word = seen.word[k];
                    if (from[k] != nullptr && !is_new(word)) {
                        word = simt::load_relaxed<simt::scope::system>(from[k]);
                    }
                    there = there && (i >= end || is_new(word));
                }
                return block_.all(there);
            },
            [&] {
                code = reason_to_give_up();
                return code != errc::success;
            });
        return code;
    }

    RANKFOLD_DEVICE bool is_new(std::uint64_t word) const
    {
        return static_cast<std::uint32_t>(word >> 32) == epoch_;
    }

    RANKFOLD_DEVICE void judge(const numbering& words, int first, const fingerprint& head,
                               const arrivals& seen, verdict& worst) const
    {
        RANKFOLD_UNROLL
        for (int k = 0; k < per_lane; ++k) {
            const int i = first + k * simt::warp_size + block_.lane();
            if (i < words.heads()) {
                worst.keep_worse(verdict::of(words.rank(i), words.word(i),
                                             static_cast<std::uint32_t>(seen.word[k]),
                                             head_word(head, words.word(i))));
            }
        }
    }

    RANKFOLD_DEVICE void keep(const numbering& words, int first, const arrivals& seen,
                              const payload& row) const
    {
        RANKFOLD_UNROLL
        for (int k = 0; k < per_lane; ++k) {
            const int i = first + k * simt::warp_size + block_.lane();
            if (words.heads() <= i && i < words.all()) {
                row.received[words.rank(i) * row.stride_words + words.word(i) - head_words] =
                    static_cast<std::uint32_t>(seen.word[k]);
            }
        }
    }

    /// Asked by one lane, known to all.
    RANKFOLD_DEVICE errc reason_to_give_up() const
    {
        return block_.shuffle(block_.lane() == 0 ? reason_of_lane() : errc::success, 0);
    }

    RANKFOLD_DEVICE errc reason_of_lane() const
    {
        if (view_.abort != nullptr && simt::load_relaxed<simt::scope::system>(view_.abort) != 0) {
            return errc::failed;
        }
        return simt::clock_ns() - begin_ns_ > view_.timeout_ns ? errc::timeout : errc::success;
    }

    /// The last use of either half before the wrap leaves it clear, so that no old word has an epoch to come.
    /// The fence puts that before the fingerprint that lets the others push into the half again.
    RANKFOLD_DEVICE void close() const
    {
        if (epoch_ >= last_epoch - 1) {
            std::uint64_t* const half = slot_of(view_.own, 0);
            for (int i = block_.lane(); i < view_.count * view_.slot_words; i += simt::warp_size) {
                simt::store_relaxed<simt::scope::system>(half + i, std::uint64_t{0});
            }
            simt::fence<simt::scope::system>();
            block_.sync_warp();
        }
        if (block_.lane() == 0) {
            simt::store_relaxed<simt::scope::device>(view_.epoch, epoch_);
        }
    }

    /// The epoch stays: the host reads from it which exchange failed.
    RANKFOLD_DEVICE void end_failed(fingerprint head, errc code, const failure_report& failure) const
    {
        head.error = static_cast<std::uint8_t>(code);
        push(error_word, error_word + 1, [&](int w) { return head_word(head, w); });
        if (block_.lane() == 0) {
            fail(failure, code);
            simt::store_relaxed<simt::scope::device>(view_.epoch, ahead_.turn | failure_told);
        }
    }

    const simt::block& block_;
    const mailbox_view& view_;
    const fetched& ahead_;
    std::uint32_t epoch_;
    std::uint64_t begin_ns_;
};

/// An exchange, out of line: it is longer than most kernels that end with one, and they are full of them.
RANKFOLD_DEVICE_CALL errc exchange_by_warp(simt::block block, const mailbox_view& view,
                                           const mailbox::fetched& ahead, const fingerprint& head,
                                           payload row, const failure_report& failure)
{
    return mailbox(block, view, ahead).run(head, row, failure);
}

} // namespace rankfold::device
