// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The mailboxes of several ranks, one GPU each, as a communicator would set them up.
#pragma once

#include "rankfold/device/turn.cuh"
#include "rankfold/operation.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace rankfold::simt {

class mailboxes {
public:
    mailboxes(int ranks, int slot_words, std::uint32_t first_epoch)
        : slot_words_(slot_words), of_(static_cast<std::size_t>(ranks))
    {
        for (rank_state& s : of_) {
            s.words.assign(device::mailbox_words(ranks, slot_words), 0);
            s.epoch = first_epoch;
            table_.push_back(s.words.data());
        }
    }

    [[nodiscard]] int ranks() const { return static_cast<int>(of_.size()); }

    device::mailbox_view view(int rank)
    {
        rank_state& s = at(rank);
        return {.peers = table_.data(),
                .own = s.words.data(),
                .rank = rank,
                .count = ranks(),
                .slot_words = slot_words_,
                .epoch = &s.epoch,
                .abort = &s.abort,
                .timeout_ns = timeout_ns_};
    }
    failure_report report(int rank, std::uint32_t call)
    {
        return {.word = &at(rank).failure, .mirror = &at(rank).mirror, .call = call};
    }
    /// As a host does, or a call before.
    void fail(int rank, errc code)
    {
        at(rank).failure.code = at(rank).mirror.code = static_cast<std::uint32_t>(code);
    }
    void wait_for_ever() { timeout_ns_ = ~std::uint64_t{0}; }
    std::uint32_t* abort_word(int rank) { return &at(rank).abort; }

    [[nodiscard]] failure_word failure(int rank) const { return at(rank).failure; }
    [[nodiscard]] failure_word mirror(int rank) const { return at(rank).mirror; }
    [[nodiscard]] std::uint32_t epoch(int rank) const { return at(rank).epoch & device::last_epoch; }

    /// Empty if no rank failed, or all of them as calls overlapped.
    [[nodiscard]] std::string all_well_or_busy() const
    {
        const std::uint32_t code = failure(0).code;
        for (int r = 0; r < ranks(); ++r) {
            if (failure(r).code != code || (code != 0 && code != static_cast<std::uint32_t>(errc::busy))) {
                return "rank " + std::to_string(r) + " ended with " + std::to_string(failure(r).code) + "\n";
            }
        }
        return "";
    }

    /// What stands in the mailboxes from calls long ago.
    void fill(std::uint64_t word)
    {
        for (rank_state& s : of_) {
            std::fill(s.words.begin(), s.words.end(), word);
        }
    }

private:
    struct rank_state {
        std::vector<std::uint64_t> words;
        std::uint32_t epoch = 0;
        std::uint32_t abort = 0;
        failure_word failure{};
        failure_word mirror{};
    };
    [[nodiscard]] rank_state& at(int rank) { return of_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] const rank_state& at(int rank) const { return of_[static_cast<std::size_t>(rank)]; }

    int slot_words_;
    std::uint64_t timeout_ns_ = 600'000'000'000;
    std::vector<rank_state> of_;
    std::vector<std::uint64_t*> table_;
};

inline fingerprint head_of(call_kind kind, std::uint32_t digest = 0)
{
    fingerprint head{};
    head.kind = kind;
    head.digest = digest;
    return head;
}

} // namespace rankfold::simt
