// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The memory orders by which blocks and GPUs hand over data, in Relacy's C++ memory model. Each right one
// holds in all interleavings that were tried, and each with an order left out fails.
#include <relacy/relacy.hpp>

#include <cstdio>
#include <ostream>
#include <streambuf>

namespace {

enum class left_out { nothing, release, acquire };

/// Partials, then a ticket; the last block folds them. Models include/rankfold/device/control.cuh
/// (arrive_last), value.cuh (store_plain, load_plain), tile_reduce.cuh (finish, scan_groups).
template <left_out L>
struct last_block : rl::test_suite<last_block<L>, 3> {
    rl::atomic<unsigned> partial[3];
    rl::atomic<unsigned> arrived;
    rl::atomic<unsigned> ticket;

    void before()
    {
        for (auto& p : partial) {
            p.store(0, rl::memory_order_relaxed);
        }
        arrived.store(0, rl::memory_order_relaxed);
        ticket.store(1, rl::memory_order_relaxed);
    }
    void thread(unsigned block)
    {
        partial[block].store(block + 1, rl::memory_order_relaxed);
        if (L != left_out::release) {
            rl::atomic_thread_fence(rl::memory_order_acq_rel);
        }
        const bool last = arrived.fetch_add(1, rl::memory_order_relaxed) == 2;
        if (L != left_out::acquire) {
            rl::atomic_thread_fence(rl::memory_order_acq_rel);
        }
        if (last) {
            unsigned total = 0;
            for (auto& p : partial) {
                total += p.load(rl::memory_order_relaxed);
            }
            RL_ASSERT(total == 6);
            ticket.store(0, rl::memory_order_relaxed);
        }
    }
    void after() { RL_ASSERT(ticket.load(rl::memory_order_relaxed) == 0); }
};

/// The fold of a tile as two words, of which each proves itself. Models value.cuh (store_stamped,
/// stamped_view) and await.cuh. `release` left out: one word has no stamp, as if the
/// other one spoke for both.
template <left_out L>
struct stamped_fold : rl::test_suite<stamped_fold<L>, 2> {
    rl::atomic<unsigned> word[2]; // stamp * 16 + data
    static constexpr unsigned epoch = 2;

    void before()
    {
        word[0].store((epoch - 1) * 16 + 7, rl::memory_order_relaxed);
        word[1].store((epoch - 1) * 16 + 7, rl::memory_order_relaxed);
    }
    void thread(unsigned role)
    {
        if (role == 0) {
            word[0].store(epoch * 16 + 3, rl::memory_order_relaxed);
            word[1].store(epoch * 16 + 4, rl::memory_order_relaxed);
            return;
        }
        const unsigned second = await(1);
        const unsigned first = L == left_out::nothing ? await(0) : word[0].load(rl::memory_order_relaxed);
        RL_ASSERT(first % 16 == 3 && second % 16 == 4);
    }
    unsigned await(int w)
    {
        rl::linear_backoff backoff;
        for (;;) {
            const unsigned seen = word[w].load(rl::memory_order_relaxed);
            if (seen / 16 == epoch) {
                return seen;
            }
            backoff.yield($);
        }
    }
};

/// A half of the mailbox is cleared at the wrap before the fingerprint that lets a peer push into it again.
/// Models include/rankfold/device/mailbox.cuh (mailbox::close, push, await): rank 0 clears, fences, and
/// sends; rank 1 sees that, fences at its own end of the call, and pushes a new word, which must stay.
template <left_out L>
struct cleared_half : rl::test_suite<cleared_half<L>, 2> {
    rl::atomic<unsigned> word;
    rl::atomic<unsigned> sent;

    void before()
    {
        word.store(9, rl::memory_order_relaxed);
        sent.store(0, rl::memory_order_relaxed);
    }
    void thread(unsigned rank)
    {
        if (rank == 0) {
            word.store(0, rl::memory_order_relaxed);
            if (L != left_out::release) {
                rl::atomic_thread_fence(rl::memory_order_acq_rel);
            }
            sent.store(1, rl::memory_order_relaxed);
            return;
        }
        rl::linear_backoff backoff;
        while (sent.load(rl::memory_order_relaxed) == 0) {
            backoff.yield($);
        }
        if (L != left_out::acquire) {
            rl::atomic_thread_fence(rl::memory_order_acq_rel);
        }
        // The word that was there before the clearing can no longer be seen.
        RL_ASSERT(word.load(rl::memory_order_relaxed) == 0);
    }
};

/// Relacy prints the history of what fails, and brings its own operator new, which string streams do not
/// survive.
class discarding : public std::streambuf {
    int overflow(int c) override { return c; }
};

template <class Test>
bool holds()
{
    discarding nowhere;
    std::ostream silent(&nowhere);
    rl::test_params params;
    params.iteration_count = 20000;
    params.output_stream = &silent;
    params.progress_stream = &silent;
    return rl::simulate<Test>(params);
}

int wrong = 0;

void expect(bool found, bool right, const char* what)
{
    std::printf("%s: %s\n", found ? "holds" : "fails", what);
    wrong += found != right;
}

} // namespace

int main()
{
    expect(holds<last_block<left_out::nothing>>(), true, "partials, fence, ticket, fence, partials");
    expect(holds<last_block<left_out::release>>(), false, "the same without the fence before the ticket");
    expect(holds<last_block<left_out::acquire>>(), false, "the same without the fence after the ticket");
    expect(holds<stamped_fold<left_out::nothing>>(), true, "a fold in two stamped words");
    expect(holds<stamped_fold<left_out::release>>(), false, "the same with a stamp in one of them");
    expect(holds<cleared_half<left_out::nothing>>(), true, "half cleared, fence, fingerprint, fence, push");
    expect(holds<cleared_half<left_out::release>>(), false,
           "the same without the fence before the fingerprint");
    expect(holds<cleared_half<left_out::acquire>>(), false, "the same without the fence after it");
    return wrong;
}
