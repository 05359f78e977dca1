// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The exchange of slots among the GPUs of one NVLink domain, inside a kernel, by one warp.
//
//   1. The warp pushes the words of its slot into the mailbox of every rank, its own included.
//   2. It waits in its own mailbox for the fingerprint words of all ranks, and compares them with its own.
//   3. Where all agree, it pushes what did not fit the slot, and waits for the payload words of all ranks.
//   4. It moves the epoch on. Where epochs are about to repeat, it first clears the half that it has read.
//
// A word is one 8-byte store { 32 bits of data, 32 bits of epoch }: it proves itself, so no fence is needed.
// Two halves alternate by epoch. A rank pushes into a half again two epochs later, after it has seen the
// fingerprints of the epoch between, which every rank sends after it has read the half: so nothing is
// overwritten unread.
//
// Traffic: 8 bytes per 4 of slot, to every rank. Waits: steps 2 and 3, for the ranks' calls of the same
// number; they end by the device clock or by the abort word, which one lane reads now and then.
#pragma once

#include "rankfold/device/simt.cuh"
#include "rankfold/error.hpp"
#include "rankfold/mailbox_view.hpp"

namespace rankfold::device {

inline constexpr int head_words = sizeof(fingerprint) / 4;
inline constexpr int first_step_words = slot_bytes / 4;

/// The number of the call after call `epoch`. Not 0, the epoch of words never sent; nor 1 after a wrap, which
/// would take the half of the call before.
RANKFOLD_DEVICE std::uint32_t epoch_after(std::uint32_t epoch)
{
    return epoch == ~std::uint32_t{0} ? 2 : epoch + 1;
}

/// One exchange, by a whole warp.
class mailbox {
public:
    /// @param call  the number that a failure is reported with
    RANKFOLD_DEVICE mailbox(const simt::block& block, const mailbox_view& view, std::uint32_t call)
        : block_(block), view_(view), call_(call),
          epoch_(epoch_after(simt::load_relaxed<simt::scope::device>(view.epoch))),
          begin_ns_(simt::clock_ns())
    {
    }

    /// Sends `slot`, fingerprint and `payload_words` words, and gets those of all ranks, stride_words apart,
    /// in `received`, which may be read after the next barrier. Anything but success is in the failure word
    /// too.
    RANKFOLD_DEVICE errc run(const std::uint32_t* slot, int payload_words, std::uint32_t* received,
                             int stride_words)
    {
        if (has_failed()) {
            return errc::failed;
        }
        const int words = head_words + payload_words;
        const int at_once = words < first_step_words ? words : first_step_words;
        push(slot, 0, at_once);
        errc code = await(0, head_words, received, stride_words);
        if (code == errc::success) {
            code = compare(slot, received, stride_words);
        }
        if (code == errc::success) {
            push(slot, at_once, words);
            code = await(head_words, words, received, stride_words);
        }
        if (code != errc::success) {
            fail(code);
            return code;
        }
        close();
        return errc::success;
    }

private:
    RANKFOLD_DEVICE std::uint64_t* slot_of(std::uint64_t* box, int rank) const
    {
        return box + (std::int64_t{epoch_ & 1} * view_.count + rank) * view_.slot_words;
    }

    RANKFOLD_DEVICE bool has_failed() const
    {
        const bool failed =
            block_.lane() == 0 && simt::load_relaxed<simt::scope::device>(&view_.failure->code) != 0;
        return block_.ballot(failed) != 0;
    }

    /// Words [first, last) to every rank.
    RANKFOLD_DEVICE void push(const std::uint32_t* slot, int first, int last) const
    {
        for (int w = first + block_.lane(); w < last; w += simt::warp_size) {
            const std::uint64_t word = std::uint64_t{epoch_} << 32 | slot[w];
            for (int r = 0; r < view_.count; ++r) {
                simt::store_relaxed<simt::scope::system>(slot_of(view_.peers[r], view_.rank) + w, word);
            }
        }
    }

    /// Words [first, last) of every rank.
    RANKFOLD_DEVICE errc await(int first, int last, std::uint32_t* received, int stride_words) const
    {
        const int total = view_.count * (last - first);
        for (int done = 0; done < total; done += simt::warp_size) {
            const int i = done + block_.lane();
            const int rank = i / (last - first);
            const int w = first + i % (last - first);
            std::uint64_t word = 0;
            bool there = i >= total;
            errc code = errc::success;
            simt::spin_until(
                [&] {
                    if (!there) {
                        word = simt::load_relaxed<simt::scope::system>(slot_of(view_.own, rank) + w);
                        there = static_cast<std::uint32_t>(word >> 32) == epoch_;
                    }
                    return block_.all(there);
                },
                [&] {
                    code = reason_to_give_up();
                    return code != errc::success;
                });
            if (code != errc::success) {
                return code;
            }
            if (i < total) {
                received[rank * stride_words + w] = static_cast<std::uint32_t>(word);
            }
        }
        block_.sync_warp();
        return errc::success;
    }

    /// Asked by one lane, known to all.
    RANKFOLD_DEVICE errc reason_to_give_up() const
    {
        errc code = errc::success;
        if (block_.lane() == 0) {
            if (view_.abort != nullptr && simt::load_relaxed<simt::scope::system>(view_.abort) != 0) {
                code = errc::failed;
            } else if (simt::clock_ns() - begin_ns_ > view_.timeout_ns) {
                code = errc::timeout;
            }
        }
        return block_.shuffle(code, 0);
    }

    /// Failed ranks count before ranks that called something else, and lower ranks first.
    RANKFOLD_DEVICE errc compare(const std::uint32_t* slot, const std::uint32_t* received,
                                 int stride_words) const
    {
        constexpr std::uint64_t agreed = ~std::uint64_t{0};
        constexpr std::uint64_t disagrees = std::uint64_t{1} << 48;
        std::uint64_t worst = agreed;
        for (int r = block_.lane(); r < view_.count; r += simt::warp_size) {
            const std::uint32_t* words = received + r * stride_words;
            fingerprint head;
            memcpy(&head, words, sizeof head);
            bool same = true;
            for (int w = 0; w < head_words; ++w) {
                same = same && words[w] == slot[w];
            }
            const std::uint64_t place = static_cast<std::uint64_t>(r) << 8;
            const std::uint64_t mine = head.error != 0 ? place | head.error
                                       : same
                                           ? agreed
                                           : disagrees | place | static_cast<std::uint64_t>(errc::mismatch);
            worst = mine < worst ? mine : worst;
        }
        for (int delta = 1; delta < simt::warp_size; delta *= 2) {
            const std::uint64_t other = block_.shuffle_xor(worst, delta);
            worst = other < worst ? other : worst;
        }
        return worst == agreed ? errc::success : static_cast<errc>(worst & 0xff);
    }

    /// The first failure stays. The host sees its code last, when the number of the call is there.
    RANKFOLD_DEVICE void fail(errc code) const
    {
        const auto value = static_cast<std::uint32_t>(code);
        if (block_.lane() != 0 || simt::atomic_compare_exchange(&view_.failure->code, 0U, value) != 0) {
            return;
        }
        simt::store_relaxed<simt::scope::device>(&view_.failure->call, call_);
        if (view_.failure_mirror != nullptr) {
            simt::store_relaxed<simt::scope::system>(&view_.failure_mirror->call, call_);
            simt::store_release<simt::scope::system>(&view_.failure_mirror->code, value);
        }
    }

    /// The last use of either half before the wrap leaves it clear, so that no old word has an epoch to come.
    /// The fence puts that before the fingerprint that lets the others push into the half again.
    RANKFOLD_DEVICE void close() const
    {
        if (epoch_ >= ~std::uint32_t{1}) {
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

    const simt::block& block_;
    const mailbox_view& view_;
    std::uint32_t call_;
    std::uint32_t epoch_;
    std::uint64_t begin_ns_;
};

/// An exchange by itself: one block of one warp.
struct exchange_kernel {
    static constexpr int threads = simt::warp_size;
    static constexpr int resident = 1;

    struct arguments {
        mailbox_view view;
        const std::uint32_t* slot; ///< fingerprint and payload, written by an earlier kernel
        int payload_words;
        std::uint32_t* received; ///< count * stride_words words
        int stride_words;
        std::uint32_t call;
    };
    struct storage {};

    RANKFOLD_DEVICE static void run(simt::block& block, const arguments& args, storage& /*shared*/)
    {
        mailbox(block, args.view, args.call)
            .run(args.slot, args.payload_words, args.received, args.stride_words);
    }
};

} // namespace rankfold::device
