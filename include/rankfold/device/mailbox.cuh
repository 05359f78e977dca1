// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The exchange of records among the GPUs of one NVLink domain, inside a kernel, by one block.
//
//   0. The block takes the turn of the rank (turn.cuh), as early as it knows that it will exchange. Where
//   another call's exchange is under way the rank has failed; it waits for the turn to tell the others.
//   1. It pushes fingerprint and payload into the mailbox of every rank, its own included; a warp for each.
//   2. It waits in its own mailbox for the words of all ranks. The first warp compares the fingerprints with
//   its own; the payload is dealt out to the warps. A rank whose fingerprint differs may send less: what is
//   missing of it is not awaited; nor is a rank that gave up the exchange before, after this one had all of
//   that: it will send nothing.
//   3. Where all agree, it moves the epoch on and gives the turn back. Where epochs are about to repeat, it
//   first clears the half that it has read.
//
// A word is one 8-byte store { 32 bits of data, 32 bits of epoch }: it proves itself, so no fence is needed.
// Two halves alternate by epoch. A rank pushes into a half again two epochs later, after it has seen the
// fingerprints of the epoch between, which every rank sends after it has read the half: so nothing is
// overwritten unread.
//
// Traffic: 8 bytes per 4 of fingerprint and payload, to every rank. Waits: step 0 for the call that overlaps;
// step 2 for the ranks' calls of the same number. They end by the device clock or by the abort word, which
// one lane of a warp reads now and then.
#pragma once

#include "rankfold/device/turn.cuh"

namespace rankfold::device {

/// One exchange, by a whole block.
class mailbox {
public:
    /// Of a block, in its shared memory.
    struct storage {
        // Fetched ahead, so that no exchange waits for it.
        std::uint64_t* peers[max_mailbox_ranks];
        std::uint32_t turn; ///< the epoch of the last exchange, or turn_taken and above: another call's turn
        // Known after the barrier behind `exchange`.
        errc heads;   ///< what the fingerprints that came amount to
        errc gave_up; ///< success, or why not all words were awaited; by any warp
    };

    /// What the first thread has asked for and does not look at yet, so that other loads can follow at once.
    struct opening {
        errc code = errc::success; ///< why the rank has failed before
        std::uint32_t turn = turn_taken;
    };

    /// By the whole block, at its start. The only block of a launch takes the turn and fetches at once,
    /// others `claim` when they know that they are the last.
    RANKFOLD_DEVICE static opening open(const simt::block& block, const mailbox_view& view,
                                        const failure_word* failure, storage& shared)
    {
        opening asked;
        if (block.thread() == 0) {
            asked.code = failure_of(failure);
            asked.turn = block.count() == 1 ? take_turn(view) : turn_taken;
        }
        if (block.count() == 1) {
            fetch(block, view, shared);
        }
        return asked;
    }

    /// By the first thread, later. False if the rank has failed before: then there is no exchange, since this
    /// block will not do its part, and it tells. Other blocks of the launch may have asked before the
    /// failure.
    RANKFOLD_DEVICE static bool settle(const mailbox_view& view, const fingerprint& head,
                                       const opening& asked, storage& shared)
    {
        shared.turn = asked.turn;
        shared.gave_up = errc::success;
        if (asked.code == errc::success) {
            return true;
        }
        if (asked.turn < turn_taken) {
            tell_failure(view, asked.turn, head, asked.code);
        } else {
            take_turn_and_tell(view, head, asked.code);
        }
        return false;
    }

    /// By the whole last one of several blocks, ahead of what else it waits for.
    RANKFOLD_DEVICE static void claim(const simt::block& block, const mailbox_view& view, storage& shared)
    {
        if (block.count() > 1) {
            const bool claims = block.thread() == block.threads() - 1;
            const std::uint32_t turn = claims ? take_turn(view) : turn_taken; // on its way with the addresses
            fetch(block, view, shared);
            if (claims) {
                shared.turn = turn;
            }
        }
    }

    /// By one thread of a block that gave up on its own rank: if it has the turn, the others hear why.
    RANKFOLD_DEVICE static void abandon(const mailbox_view& view, const fingerprint& head,
                                        const failure_word* failure, const storage& shared)
    {
        if (shared.turn < turn_taken) {
            tell_failure(view, shared.turn, head, failure_of(failure));
        }
    }

    RANKFOLD_DEVICE mailbox(const simt::block& block, const mailbox_view& view, storage& shared)
        : block_(block), view_(view), shared_(shared), epoch_(epoch_after(shared.turn))
    {
    }

    /// Steps 1 and 2, by all threads. The block's next barrier has to follow, and `finish`.
    RANKFOLD_DEVICE void exchange(const fingerprint& head, const payload& row)
    {
        if (!has_turn()) {
            return;
        }
        push(head, row);
        const numbering words{view_.count, row.words};
        const int head_rounds = (words.heads() + simt::warp_size - 1) / simt::warp_size;
        verdict worst;
        errc code = errc::success;
        RANKFOLD_NO_UNROLL
        for (int round = block_.warp() == 0 ? 0 : head_rounds + block_.warp() - 1;
             round * simt::warp_size < words.all() && code == errc::success;
             round += round + 1 < head_rounds ? 1 : block_.warps()) {
            code = await(words, round * simt::warp_size, head, row, worst);
        }
        if (block_.warp() == 0) {
            worst.join_lanes(block_);
        }
        if (block_.lane() == 0) {
            if (block_.warp() == 0) {
                shared_.heads = worst.code();
            }
            if (code != errc::success) {
                shared_.gave_up = code;
            }
        }
    }

    /// Step 3, by all threads, which all get the result. Anything but success is in the failure word too.
    RANKFOLD_DEVICE errc finish(const fingerprint& head, const failure_report& failure)
    {
        if (!has_turn()) {
            if (block_.thread() == 0) {
                report_overlap(view_, head, failure);
            }
            return errc::busy;
        }
        const errc code = shared_.heads != errc::success ? shared_.heads : shared_.gave_up;
        if (block_.warp() == 0) {
            if (code == errc::success) {
                close();
            } else {
                end_failed(head, code, failure);
            }
        }
        return code;
    }

private:
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

    /// By the last threads of a block, as the first one has enough to wait for.
    RANKFOLD_DEVICE static void fetch(const simt::block& block, const mailbox_view& view, storage& shared)
    {
        RANKFOLD_NO_UNROLL
        for (int r = block.threads() - 1 - block.thread(); r < view.count; r += block.threads()) {
            shared.peers[r] = view.peers[r];
        }
    }

    [[nodiscard]] RANKFOLD_DEVICE bool has_turn() const { return shared_.turn < turn_taken; }

    [[nodiscard]] RANKFOLD_DEVICE std::uint64_t* slot_of(std::uint64_t* box, int rank) const
    {
        return device::slot_of(view_, box, rank, epoch_);
    }

    [[nodiscard]] RANKFOLD_DEVICE bool is_new(std::uint64_t word) const
    {
        return static_cast<std::uint32_t>(word >> 32) == epoch_;
    }

    RANKFOLD_DEVICE void push(const fingerprint& head, const payload& row) const
    {
        RANKFOLD_NO_UNROLL
        for (int r = block_.warp(); r < view_.count; r += block_.warps()) {
            std::uint64_t* const slot = slot_of(shared_.peers[r], view_.rank);
            RANKFOLD_NO_UNROLL
            for (int w = block_.lane(); w < head_words + row.words; w += simt::warp_size) {
                push_word(slot + w, w < head_words ? head_word(head, w) : row.own[w - head_words]);
            }
        }
    }

    RANKFOLD_DEVICE void push_word(std::uint64_t* to, std::uint32_t data) const
    {
        simt::store_relaxed<simt::scope::system>(to, std::uint64_t{epoch_} << 32 | data);
    }

    /// A word for each lane of a warp, from word `first` on: a fingerprint's is judged, the payload's is
    /// kept.
    RANKFOLD_DEVICE errc await(const numbering& words, int first, const fingerprint& head, const payload& row,
                               verdict& worst)
    {
        const int i = first + block_.lane();
        const bool is_head = i < words.heads();
        const int rank = i < words.all() ? words.rank(i) : 0;
        const int w = i < words.all() ? words.word(i) : 0;
        const std::uint64_t* const from = slot_of(view_.own, rank) + w;
        bool wanted = i < words.all();
        std::uint64_t word = 0; // none has been seen
        errc differs = errc::success;
        errc code = errc::success;
        simt::spin_until(
            [&] {
                if (wanted && !is_new(word)) {
                    word = simt::load_relaxed<simt::scope::system>(from);
                }
                return block_.all(!wanted || is_new(word));
            },
            [&] {
                if (wanted && !is_new(word)) {
                    differs = is_head ? earlier_failure(view_, epoch_, rank)
                                      : known_difference(view_, epoch_, rank, head);
                    wanted = differs == errc::success;
                }
                code = reason_to_give_up();
                return code != errc::success;
            });
        if (differs != errc::success) {
            shared_.gave_up = differs; // this warp's first look at the fingerprint may have come before
        } else if (is_new(word) && is_head) {
            worst.keep_worse(verdict::of(rank, w, static_cast<std::uint32_t>(word), head_word(head, w)));
        } else if (is_new(word)) {
            keep(row, rank, w - head_words, static_cast<std::uint32_t>(word));
        }
        return code;
    }

    /// This rank's own payload may be where it belongs, and be read by other warps.
    RANKFOLD_DEVICE static void keep(const payload& row, int rank, int w, std::uint32_t data)
    {
        std::uint32_t* const to = row.received + rank * row.stride_words + w;
        if (to != row.own + w) {
            *to = data;
        }
    }

    /// What is wrong with what has come of a rank's fingerprint, beside this rank's own. Asked rarely, as all
    /// that is out of line here.
    RANKFOLD_DEVICE_CALL static errc known_difference(const mailbox_view& view, std::uint32_t epoch, int rank,
                                                      const fingerprint& head)
    {
        verdict worst;
        RANKFOLD_NO_UNROLL
        for (int w = 0; w < head_words; ++w) {
            const auto word =
                simt::load_relaxed<simt::scope::system>(device::slot_of(view, view.own, rank, epoch) + w);
            if (static_cast<std::uint32_t>(word >> 32) == epoch) {
                worst.keep_worse(verdict::of(rank, w, static_cast<std::uint32_t>(word), head_word(head, w)));
            }
        }
        return worst.code() != errc::success ? worst.code() : earlier_failure(view, epoch, rank);
    }

    /// What a rank that sends no more has said in the other half: it gave up the exchange before. At the wrap
    /// that may be cleared unread; then the deadline ends the wait.
    RANKFOLD_DEVICE_CALL static errc earlier_failure(const mailbox_view& view, std::uint32_t epoch, int rank)
    {
        const auto word = simt::load_relaxed<simt::scope::system>(
            device::slot_of(view, view.own, rank, epoch + 1) + error_word);
        return epoch_after(static_cast<std::uint32_t>(word >> 32)) == epoch
                   ? error_in(static_cast<std::uint32_t>(word))
                   : errc::success;
    }

    /// Asked by one lane, known to all of the warp. The deadline counts from the first time.
    RANKFOLD_DEVICE errc reason_to_give_up()
    {
        errc code = errc::success;
        if (block_.lane() == 0) {
            begin_ns_ = begin_ns_ == 0 ? simt::clock_ns() : begin_ns_;
            code = reason_to_give_up(view_, begin_ns_);
        }
        return block_.shuffle(code, 0);
    }

    RANKFOLD_DEVICE_CALL static errc reason_to_give_up(const mailbox_view& view, std::uint64_t begin_ns)
    {
        if (view.abort != nullptr && simt::load_relaxed<simt::scope::system>(view.abort) != 0) {
            return errc::failed;
        }
        // A reading may be older than the one before it: of another multiprocessor, or on a machine that
        // moved.
        const auto waited_ns = static_cast<std::int64_t>(simt::clock_ns() - begin_ns);
        return waited_ns > 0 && static_cast<std::uint64_t>(waited_ns) > view.timeout_ns ? errc::timeout
                                                                                        : errc::success;
    }

    /// By one lane. Where the rank has failed already, somebody else tells.
    RANKFOLD_DEVICE_CALL static void report_overlap(const mailbox_view& view, const fingerprint& head,
                                                    const failure_report& failure)
    {
        if (fail(failure, errc::busy)) {
            const std::uint64_t begin_ns = simt::clock_ns();
            simt::spin_until([&] { return take_turn_and_tell(view, head, errc::busy); },
                             [&] { return reason_to_give_up(view, begin_ns) != errc::success; });
        }
    }

    /// By one warp.
    RANKFOLD_DEVICE void close() const
    {
        if (epoch_ >= last_epoch - 1) {
            clear_half(block_, slot_of(view_.own, 0), view_.count * view_.slot_words);
        }
        if (block_.lane() == 0) {
            simt::store_relaxed<simt::scope::device>(view_.epoch, epoch_);
        }
    }

    /// The last use of either half before the wrap leaves it clear, so that no old word has an epoch to come.
    /// The fence puts that before the fingerprint that lets the others push into the half again.
    RANKFOLD_DEVICE_CALL static void clear_half(simt::block block, std::uint64_t* half, int words)
    {
        RANKFOLD_NO_UNROLL
        for (int i = block.lane(); i < words; i += simt::warp_size) {
            simt::store_relaxed<simt::scope::system>(half + i, std::uint64_t{0});
        }
        simt::fence<simt::scope::system>();
        block.sync_warp();
    }

    /// By one warp. The epoch stays: the host reads from it which exchange failed.
    RANKFOLD_DEVICE void end_failed(fingerprint head, errc code, const failure_report& failure) const
    {
        head.error = static_cast<std::uint8_t>(code);
        RANKFOLD_NO_UNROLL
        for (int r = block_.lane(); r < view_.count; r += simt::warp_size) {
            push_word(slot_of(shared_.peers[r], view_.rank) + error_word, head_word(head, error_word));
        }
        if (block_.lane() == 0) {
            fail(failure, code);
            simt::store_relaxed<simt::scope::device>(view_.epoch, shared_.turn | failure_told);
        }
    }

    const simt::block& block_;
    const mailbox_view& view_;
    storage& shared_;
    std::uint32_t epoch_;
    std::uint64_t begin_ns_ = 0; // of waiting; 0: not known yet
};

} // namespace rankfold::device
