// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// conclude: how a kernel ends that makes the records of its rank.
//
//   1. At its start every block asks whether the communicator has failed, and for what an exchange needs, so
//      that no load stands between the records and their departure; it looks at the answers when its own
//      loads are under way. The last of several blocks takes the turn to exchange as soon as it knows, while
//      the partials of others are on their way. If it gives up on those, it tells the other ranks.
//   2. The block that has the last record of the rank exchanges (mailbox.cuh) and folds (fold.cuh), with
//      all of its threads. With one rank there is nothing to exchange.
//
// Records stay in shared memory where those of all ranks fit. A kernel that was given no conclusion leaves
// its record where the task wants it, for somebody else to exchange.
//
// Waits: step 2, for the other ranks' calls of the same number; see mailbox.cuh.
#pragma once

#include "rankfold/device/fold.cuh"
#include "rankfold/device/mailbox.cuh"

namespace rankfold::device {

/// How a kernel ends: among its arguments.
struct ending {
    failure_report failure{};
    conclusion then{};
    bool concludes = false; ///< else `then` is not used
    bool staged = false;    ///< records of all ranks in shared memory
    bool alone = false;     ///< no other rank, one record: `leave` folds it at once
};

template <Algebra A>
struct conclude {
    using ending = device::ending;
    using opening = mailbox::opening;
    static constexpr bool is_alone = false;
    static constexpr int record_words = record_bytes(sizeof(typename A::accumulator)) / 4;

    struct storage {
        mailbox::storage mail;
        std::uint32_t rows[staged_words];
        bool failed;  ///< before the call
        bool gave_up; ///< during the call; by any thread, before `run`
    };

    /// The ending of a kernel that makes `records` of the rank's records. @param then  null: none
    static ending with(const conclusion* then, int records, const failure_report& failure)
    {
        if (then == nullptr) {
            return {.failure = failure};
        }
        const bool all_here = records == then->fold.record_count;
        return {.failure = failure,
                .then = *then,
                .concludes = true,
                .staged = all_here && then->fold.ranks * records * record_words <= staged_words};
    }

    /// The same of a kernel that makes one record, which it leaves.
    static ending with_one(const conclusion* then, const failure_report& failure)
    {
        ending end = with(then, 1, failure);
        end.alone = end.concludes && then->fold.ranks == 1 && then->fold.record_count == 1;
        return end;
    }

    /// By all threads of a block, at its start.
    RANKFOLD_DEVICE static opening open(const simt::block& block, const ending& end, storage& shared)
    {
        if (exchanges(end)) {
            return mailbox::open(block, end.then.mail, end.failure.word, shared.mail);
        }
        opening asked;
        if (block.thread() == 0) {
            asked.code = failure_of(end.failure.word);
        }
        return asked;
    }

    /// By all threads, when their own loads are under way. `shared.failed` is known after the block's next
    /// barrier.
    RANKFOLD_DEVICE static void settle(const simt::block& block, const ending& end, const opening& asked,
                                       storage& shared)
    {
        if (block.thread() == 0) {
            shared.failed = exchanges(end)
                                ? !mailbox::settle(end.then.mail, end.then.head, asked, shared.mail)
                                : asked.code != errc::success;
            shared.gave_up = false;
        }
    }

    /// By all threads of the last of several blocks, as soon as it knows.
    RANKFOLD_DEVICE static void claim(const simt::block& block, const ending& end, storage& shared)
    {
        if (exchanges(end)) {
            mailbox::claim(block, end.then.mail, shared.mail);
        }
    }

    /// By one thread that has the only record of the rank, which belongs to `left` in device memory. `run`
    /// has to follow.
    RANKFOLD_DEVICE static void leave(const A& algebra, const ending& end, storage& shared, std::byte* left,
                                      const partial<typename A::accumulator>& all)
    {
        if (end.alone) {
            if (!shared.gave_up) {
                folder(algebra, end, shared).run_alone(all, end.failure);
            }
        } else {
            write_record(record(end, shared, left), all);
        }
    }

    /// Whether `leave` is the end, so that giving up is too late after it.
    RANKFOLD_DEVICE static bool has_left(const ending& end) { return end.alone; }

    /// Where the kernel writes the first of its records, which belongs to `left` in device memory.
    RANKFOLD_DEVICE static std::byte* record(const ending& end, storage& shared, std::byte* left)
    {
        return end.staged ? row(end, shared, end.then.fold.rank) : left;
    }

    /// By all threads of the block that has the last record of the rank, after it was written by any of them:
    /// the exchange and the fold.
    RANKFOLD_DEVICE static void run(const simt::block& block, const A& algebra, const ending& end,
                                    storage& shared)
    {
        if (agree(block, end, shared)) {
            fold(block, algebra, end, shared);
        }
    }

    /// The first half of it. True where all ranks agreed.
    RANKFOLD_DEVICE static bool agree(const simt::block& block, const ending& end, storage& shared)
    {
        if (!end.concludes) {
            return false;
        }
        block.sync();
        if (shared.failed || shared.gave_up) {
            if (!shared.failed && exchanges(end) && block.thread() == 0) {
                mailbox::abandon(end.then.mail, end.then.head, end.failure.word, shared.mail);
            }
            return false;
        }
        return !exchanges(end) || exchange(block, end, shared) == errc::success;
    }

    /// The second half. May come any time after the first.
    RANKFOLD_DEVICE static void fold(const simt::block& block, const A& algebra, const ending& end,
                                     storage& shared)
    {
        if (!end.alone) {
            folder(algebra, end, shared).run(block, end.failure);
        }
    }

    /// What stands before the rank's only record, once all ranks have agreed.
    RANKFOLD_DEVICE static partial<typename A::accumulator> before_rank(const A& algebra, const ending& end,
                                                                        storage& shared)
    {
        return folder(algebra, end, shared).below(end.then.fold.rank);
    }

private:
    RANKFOLD_DEVICE static rank_fold<A> folder(const A& algebra, const ending& end, storage& shared)
    {
        return {algebra, end.then.fold, row(end, shared, 0), stride(end)};
    }

    RANKFOLD_DEVICE static bool exchanges(const ending& end)
    {
        return end.concludes && end.then.mail.count > 1;
    }

    RANKFOLD_DEVICE static int row_words(const ending& end)
    {
        return end.then.fold.record_count * record_words;
    }

    RANKFOLD_DEVICE static std::size_t stride(const ending& end)
    {
        return end.staged ? static_cast<std::size_t>(row_words(end)) * 4 : end.then.fold.stride;
    }

    RANKFOLD_DEVICE static std::byte* row(const ending& end, storage& shared, int rank)
    {
        std::byte* const rows = end.staged ? reinterpret_cast<std::byte*>(shared.rows) : end.then.received;
        return rows + static_cast<std::size_t>(rank) * stride(end);
    }

    /// By all threads, which all get the result.
    RANKFOLD_DEVICE static errc exchange(const simt::block& block, const ending& end, storage& shared)
    {
        const payload rows{.own =
                               reinterpret_cast<const std::uint32_t*>(row(end, shared, end.then.fold.rank)),
                           .words = row_words(end),
                           .received = reinterpret_cast<std::uint32_t*>(row(end, shared, 0)),
                           .stride_words = static_cast<int>(stride(end) / 4)};
        mailbox mail(block, end.then.mail, shared.mail);
        mail.exchange(end.then.head, rows);
        block.sync();
        return mail.finish(end.then.head, end.failure);
    }
};

} // namespace rankfold::device
