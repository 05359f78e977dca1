// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges among several GPUs, one rank each, whose calls follow one another without the host in between.
#pragma once

#include "mailboxes.hpp"
#include "schedules.hpp"

#include "rankfold/device/exchange.cuh"

namespace rankfold::simt {

/// What one rank does in one call.
struct rank_call {
    fingerprint head{};
    int payload_words = 0;
};

/// Words of payload that fill a slot.
inline constexpr int whole_slot = static_cast<int>(slot_payload_bytes / 4);

class mailbox_group {
public:
    mailbox_group(const executor::schedule& how, int ranks, int slot_words, std::uint32_t first_epoch)
        : boxes(ranks, slot_words, first_epoch), machine_(how, ranks + 1, 2), slot_words_(slot_words),
          calls_(static_cast<std::size_t>(ranks))
    {
    }

    [[nodiscard]] int ranks() const { return boxes.ranks(); }

    /// Queues a call of `rank` on a stream of its GPU.
    void call(int rank, const rank_call& what, int stream = 0)
    {
        auto& calls = calls_[static_cast<std::size_t>(rank)];
        buffers& b = calls.emplace_back();
        for (int w = 0; w < what.payload_words; ++w) {
            b.sent.push_back(word_of(rank, calls.size(), w));
        }
        b.received.assign(static_cast<std::size_t>(ranks() * slot_words_), 0xeeeeeeee);
        const bool fits = machine_.launch<device::exchange_kernel>(
            {.blocks = 1, .threads = (1 + rank % 3) * warp_size, .gpu = rank, .stream = stream},
            {.view = boxes.view(rank),
             .head = what.head,
             .row = {.own = b.sent.data(),
                     .words = what.payload_words,
                     .received = b.received.data(),
                     .stride_words = slot_words_},
             .failure = boxes.report(rank, static_cast<std::uint32_t>(calls.size()))});
        refused_ = refused_ || !fits;
    }

    /// The GPU of nobody, for kernels that stand for the host.
    [[nodiscard]] int host() const { return ranks(); }
    executor::machine& machine() { return machine_; }

    /// Empty, or what the executor complains of.
    std::string run()
    {
        const executor::outcome result = machine_.run();
        return refused_ ? "refused\n" : result.ok() ? "" : result.text;
    }

    /// Whether `rank` got in a call what rank `from` sent.
    [[nodiscard]] bool received(int rank, std::size_t call, int from) const
    {
        const auto& sent = calls_[static_cast<std::size_t>(from)][call].sent;
        return std::equal(sent.begin(), sent.end(),
                          calls_[static_cast<std::size_t>(rank)][call].received.data() + from * slot_words_);
    }

    /// Empty if every rank got every payload of every call, or those of the ranks up to its own, and nobody
    /// failed.
    [[nodiscard]] std::string check(bool only_lower = false) const
    {
        for (int r = 0; r < ranks(); ++r) {
            if (boxes.failure(r).code != 0) {
                return "rank " + std::to_string(r) + " failed with " + std::to_string(boxes.failure(r).code) +
                       "\n";
            }
            const auto& mine = calls_[static_cast<std::size_t>(r)];
            for (std::size_t c = 0; c < mine.size(); ++c) {
                for (int from = 0; from < (only_lower ? r + 1 : ranks()); ++from) {
                    if (!received(r, c, from)) {
                        return "in call " + std::to_string(c) + " rank " + std::to_string(r) +
                               " did not get what rank " + std::to_string(from) + " sent\n";
                    }
                }
            }
        }
        return "";
    }

    /// Empty if every rank ended with `code`, in call `number` if that is given.
    [[nodiscard]] std::string expect_all(errc code, std::uint32_t number = 0) const
    {
        const auto wanted = static_cast<std::uint32_t>(code);
        for (int r = 0; r < ranks(); ++r) {
            const failure_word failure = boxes.failure(r);
            const failure_word mirror = boxes.mirror(r);
            if (failure.code != wanted || mirror.code != wanted ||
                (number != 0 && (failure.call != number || mirror.call != number))) {
                return "rank " + std::to_string(r) + " has failure " + std::to_string(failure.code) +
                       " in call " + std::to_string(failure.call) + "\n";
            }
        }
        return "";
    }

    mailboxes boxes;

private:
    struct buffers {
        std::vector<std::uint32_t> sent;
        std::vector<std::uint32_t> received;
    };

    static std::uint32_t word_of(int rank, std::size_t call, int word)
    {
        return static_cast<std::uint32_t>(call * 1'000'000 + static_cast<std::size_t>(rank * 10'000 + word));
    }

    executor::machine machine_;
    int slot_words_;
    std::vector<std::vector<buffers>> calls_; // of each rank
    bool refused_ = false;
};

/// Calls with payloads of changing length. Where `first_epoch` is near the wrap, they go through it, and find
/// in the mailboxes what calls of the same number left a whole wrap ago.
inline std::string exchange_trial(const executor::schedule& how, int ranks, std::uint32_t first_epoch,
                                  bool only_lower = false)
{
    mailbox_group group(how, ranks, device::head_words + 68, first_epoch);
    if (first_epoch > 1000) {
        group.boxes.fill(std::uint64_t{2 + how.seed % 3} << 32 | 0xdead);
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

inline int ranks_of(const executor::schedule& how)
{
    return 2 + static_cast<int>(how.seed % 7);
}

/// A rank that calls something else, with more payload or less: all ranks hear of it, by no deadline.
inline std::string mismatch_trial(const executor::schedule& how)
{
    const int ranks = ranks_of(how);
    const int other = static_cast<int>(how.seed / 7 % static_cast<unsigned>(ranks));
    const bool less = how.seed % 2 == 0;
    mailbox_group group(how, ranks, slot_bytes / 4, 0);
    group.boxes.wait_for_ever();
    for (int r = 0; r < ranks; ++r) {
        group.call(r, {head_of(call_kind::exscan), 5});
        group.call(r, {head_of(r == other ? call_kind::reduce : call_kind::exscan),
                       (r == other) == less ? 2 : whole_slot});
        group.call(r, {head_of(call_kind::exscan), 5});
    }
    const std::string wrong = group.run();
    return wrong.empty() ? group.expect_all(errc::mismatch, 2) : wrong;
}

/// Stands for the watchdog of a host: raises the abort word after a while.
struct abort_kernel {
    struct arguments {
        std::uint32_t* word;
    };
    struct storage {};
    static constexpr int threads = warp_size;
    static void run(block& self, const arguments& args, storage& /*shared*/)
    {
        for (int i = 0; i < 20; ++i) {
            self.sync_warp();
        }
        if (self.lane() == 0) {
            store_release<scope::system>(args.word, std::uint32_t{1});
        }
    }
};

/// One rank is told to give up, at any time: every other fails too, or has all that was sent.
inline std::string abort_trial(const executor::schedule& how)
{
    const int ranks = 2 + static_cast<int>(how.seed % 3);
    const int given_up = static_cast<int>(how.seed / 3 % static_cast<unsigned>(ranks));
    mailbox_group group(how, ranks, slot_bytes / 4, 0);
    for (int r = 0; r < ranks; ++r) {
        group.call(r, {head_of(call_kind::exscan), whole_slot});
    }
    const executor::shape host{.blocks = 1, .threads = warp_size, .gpu = group.host()};
    if (!group.machine().launch<abort_kernel>(host, {group.boxes.abort_word(given_up)})) {
        return "refused\n";
    }
    const std::string wrong = group.run();
    for (int r = 0; wrong.empty() && r < ranks; ++r) {
        for (int from = 0; from < ranks; ++from) {
            if (group.boxes.failure(r).code == 0 && !group.received(r, 0, from)) {
                return "rank " + std::to_string(r) + " lacks what rank " + std::to_string(from) + " sent\n";
            }
        }
    }
    return wrong;
}

/// One rank gives up an exchange, at any time, that others may have completed: they hear of it in their next
/// one, which it will not come to, by no deadline.
inline std::string late_failure_trial(const executor::schedule& how)
{
    const int ranks = 2 + static_cast<int>(how.seed % 3);
    const int given_up = static_cast<int>(how.seed / 3 % static_cast<unsigned>(ranks));
    mailbox_group group(how, ranks, slot_bytes / 4, static_cast<std::uint32_t>(how.seed % 2));
    group.boxes.wait_for_ever();
    for (int r = 0; r < ranks; ++r) {
        group.call(r, {head_of(call_kind::exscan), whole_slot});
        group.call(r, {head_of(call_kind::exscan), static_cast<int>(how.seed / 9 % 2) * 5});
    }
    const executor::shape host{.blocks = 1, .threads = warp_size, .gpu = group.host()};
    if (!group.machine().launch<abort_kernel>(host, {group.boxes.abort_word(given_up)})) {
        return "refused\n";
    }
    const std::string wrong = group.run();
    const bool in_first = group.boxes.failure(given_up).call == 1;
    return wrong.empty() && in_first ? group.expect_all(errc::failed) : wrong;
}

/// Clocks of which a reading may be older than the one before it.
inline std::string unsteady_clock_trial(executor::schedule how)
{
    how.clock_slip_ns = 100;
    return exchange_trial(how, ranks_of(how), 0);
}

/// Calls on two streams of one rank, nothing ordering them: all is well, or all ranks hear that they
/// overlapped.
inline std::string overlap_trial(const executor::schedule& how)
{
    const int ranks = 2 + static_cast<int>(how.seed % 4);
    const int careless = static_cast<int>(how.seed / 4 % static_cast<unsigned>(ranks));
    mailbox_group group(how, ranks, slot_bytes / 4, 0);
    constexpr int calls = 3;
    for (int r = 0; r < ranks; ++r) {
        for (int c = 0; c < calls; ++c) {
            group.call(r, {head_of(call_kind::exscan), 0}, r == careless ? c % 2 : 0);
        }
    }
    const std::string wrong = group.run();
    if (!wrong.empty()) {
        return wrong;
    }
    const bool overlapped = group.boxes.failure(careless).code != 0;
    return overlapped ? group.expect_all(errc::busy) : group.check();
}

/// A rank that has failed is in the way of nobody: the others fail with it, not by their deadline. It has its
/// own payload.
inline std::string told_trial(const executor::schedule& how)
{
    const int ranks = 2 + static_cast<int>(how.seed % 4);
    const int failed = static_cast<int>(how.seed / 4 % static_cast<unsigned>(ranks));
    mailbox_group group(how, ranks, slot_bytes / 4, static_cast<std::uint32_t>(how.seed % 3));
    group.boxes.fail(failed, errc::failed);
    group.boxes.wait_for_ever();
    for (int r = 0; r < ranks; ++r) {
        group.call(r, {head_of(call_kind::exscan), 5});
        group.call(r, {head_of(call_kind::exscan), 5});
    }
    const std::string wrong = group.run();
    if (!wrong.empty()) {
        return wrong;
    }
    return group.received(failed, 1, failed) ? group.expect_all(errc::failed)
                                             : "the failed rank lacks its own payload\n";
}

} // namespace rankfold::simt
