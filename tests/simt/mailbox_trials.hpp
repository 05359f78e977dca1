// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges among several GPUs, one rank each, whose calls follow one another without the host in between.
#pragma once

#include "schedules.hpp"

#include "rankfold/device/mailbox.cuh"

#include <algorithm>
#include <vector>

namespace rankfold::simt {

/// What one rank does in one call.
struct rank_call {
    fingerprint head{};
    int payload_words = 0;
};

class mailbox_group {
public:
    mailbox_group(const executor::schedule& how, int ranks, int slot_words, std::uint32_t first_epoch)
        : machine_(how, ranks + 1), slot_words_(slot_words), state_(static_cast<std::size_t>(ranks))
    {
        for (rank_state& s : state_) {
            s.mailbox.assign(device::mailbox_words(ranks, slot_words), 0);
            s.epoch = first_epoch;
            table_.push_back(s.mailbox.data());
        }
    }

    [[nodiscard]] int ranks() const { return static_cast<int>(state_.size()); }

    /// Queues a call of `rank` on its GPU.
    void call(int rank, const rank_call& what)
    {
        rank_state& s = of(rank);
        buffers& b = s.calls.emplace_back();
        b.what = what;
        b.slot.resize(static_cast<std::size_t>(slot_words_));
        std::memcpy(b.slot.data(), &what.head, sizeof what.head);
        for (int w = 0; w < what.payload_words; ++w) {
            b.slot[static_cast<std::size_t>(device::head_words + w)] = payload(rank, s.calls.size(), w);
        }
        b.received.assign(static_cast<std::size_t>(ranks() * slot_words_), 0xeeeeeeee);
        const bool fits =
            machine_.launch<device::exchange_kernel>({.blocks = 1, .threads = warp_size, .gpu = rank},
                                                     {.view = view(rank),
                                                      .slot = b.slot.data(),
                                                      .payload_words = what.payload_words,
                                                      .received = b.received.data(),
                                                      .stride_words = slot_words_,
                                                      .call = static_cast<std::uint32_t>(s.calls.size())});
        refused_ = refused_ || !fits;
    }

    device::mailbox_view view(int rank)
    {
        rank_state& s = of(rank);
        return {.peers = table_.data(),
                .own = s.mailbox.data(),
                .rank = rank,
                .count = ranks(),
                .slot_words = slot_words_,
                .epoch = &s.epoch,
                .failure = &s.failure,
                .failure_mirror = &s.mirror,
                .abort = &s.abort,
                .timeout_ns = 600'000'000'000};
    }

    /// The GPU of nobody, for kernels that stand for the host.
    [[nodiscard]] int host() const { return ranks(); }
    executor::machine& machine() { return machine_; }
    std::uint32_t* abort_word(int rank) { return &of(rank).abort; }

    /// Empty, or what the executor complains of.
    std::string run()
    {
        const executor::outcome result = machine_.run();
        return refused_ ? "refused\n" : result.ok() ? "" : result.text;
    }

    /// Empty if every rank got every slot of every call, or those of the ranks up to its own, and nobody
    /// failed.
    [[nodiscard]] std::string check(bool only_lower = false) const
    {
        for (int r = 0; r < ranks(); ++r) {
            const rank_state& mine = state_[static_cast<std::size_t>(r)];
            if (mine.failure.code != 0) {
                return "rank " + std::to_string(r) + " failed with " + std::to_string(mine.failure.code) +
                       "\n";
            }
            for (std::size_t c = 0; c < mine.calls.size(); ++c) {
                for (int from = 0; from < (only_lower ? r + 1 : ranks()); ++from) {
                    const buffers& sent = state_[static_cast<std::size_t>(from)].calls[c];
                    const auto* got = mine.calls[c].received.data() + from * slot_words_;
                    if (!std::equal(got, got + device::head_words + sent.what.payload_words,
                                    sent.slot.data())) {
                        return "in call " + std::to_string(c) + " rank " + std::to_string(r) +
                               " did not get what rank " + std::to_string(from) + " sent\n";
                    }
                }
            }
        }
        return "";
    }

    [[nodiscard]] failure_word failure(int rank) const
    {
        return state_[static_cast<std::size_t>(rank)].failure;
    }
    [[nodiscard]] failure_word mirror(int rank) const
    {
        return state_[static_cast<std::size_t>(rank)].mirror;
    }
    [[nodiscard]] std::uint32_t epoch(int rank) const { return state_[static_cast<std::size_t>(rank)].epoch; }

    /// What stands in the mailboxes from calls long ago.
    void fill_mailboxes(std::uint64_t word)
    {
        for (rank_state& s : state_) {
            std::fill(s.mailbox.begin(), s.mailbox.end(), word);
        }
    }

private:
    struct buffers {
        rank_call what;
        std::vector<std::uint32_t> slot;
        std::vector<std::uint32_t> received;
    };
    struct rank_state {
        std::vector<std::uint64_t> mailbox;
        std::uint32_t epoch = 0;
        std::uint32_t abort = 0;
        failure_word failure{};
        failure_word mirror{};
        std::vector<buffers> calls;
    };

    rank_state& of(int rank) { return state_[static_cast<std::size_t>(rank)]; }

    static std::uint32_t payload(int rank, std::size_t call, int word)
    {
        return static_cast<std::uint32_t>(call * 1'000'000 + static_cast<std::size_t>(rank * 10'000 + word));
    }

    executor::machine machine_;
    int slot_words_;
    std::vector<rank_state> state_;
    std::vector<std::uint64_t*> table_;
    bool refused_ = false;
};

inline fingerprint head_of(call_kind kind, std::uint32_t digest = 0)
{
    fingerprint head{};
    head.kind = kind;
    head.digest = digest;
    return head;
}

/// Calls with payloads of changing length. Where `first_epoch` is near the wrap, they go through it, and find
/// in the mailboxes what calls of the same number left a whole wrap ago.
inline std::string exchange_trial(const executor::schedule& how, int ranks, std::uint32_t first_epoch,
                                  bool only_lower = false)
{
    mailbox_group group(how, ranks, device::first_step_words + 8, first_epoch);
    if (first_epoch > 1000) {
        group.fill_mailboxes(std::uint64_t{2 + how.seed % 3} << 32 | 0xdead);
    }
    for (int c = 0; c < 6; ++c) {
        const int lengths[] = {3, 0, 66, 9, 61, 1};
        const rank_call what{head_of(call_kind::exscan, static_cast<std::uint32_t>(c)),
                             lengths[(static_cast<int>(how.seed % 6) + c) % 6]};
        for (int r = 0; r < ranks; ++r) {
            group.call(r, what);
        }
    }
    const std::string wrong = group.run();
    return wrong.empty() ? group.check(only_lower) : wrong;
}

} // namespace rankfold::simt
