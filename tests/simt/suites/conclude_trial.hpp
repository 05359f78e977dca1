// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Kernels that exchange and fold themselves: reductions and exscans of several ranks, one GPU each, call
// after call without the host in between.
#pragma once

#include "../mailboxes.hpp"
#include "piece.hpp"

#include "rankfold/device/exchange.cuh"
#include "rankfold/device/lift.cuh"
#include "rankfold/device/one_pass_reduce.cuh"
#include "rankfold/device/reduce.cuh"

#include <deque>

namespace rankfold::simt::suites {

/// Calls on intervals: rank r of a reduction has the elements from first(r) on.
class concluding_ranks {
public:
    using algebra = interval_algebra;
    using reduce = device::reduce_kernel<algebra, device::contiguous<std::int32_t>, tiny_reduce>;
    using short_reduce = device::one_pass_reduce_kernel<algebra, device::contiguous<std::int32_t>, one_pass,
                                                        device::conclude<algebra>>;
    using lift = device::lift_kernel<algebra, 2 * warp_size>;
    static constexpr std::size_t record_size = record_bytes(sizeof(interval));
    static constexpr int most_records = 20;

    concluding_ranks(const schedule& how, int ranks)
        : boxes(ranks, device::head_words + most_records * static_cast<int>(record_size) / 4, 0), how_(how),
          takes_short_form_(how.seed / 5 % 2 == 0), machine_(how, ranks, 2),
          spaces_(static_cast<std::size_t>(ranks))
    {
    }

    /// What one rank gets from one call.
    struct results {
        interval totals[most_records] = {};
        interval prefixes[most_records] = {};
    };

    /// One reduction, of a piece of `count` elements that begin with `first`, in one form or the other.
    const results& queue_reduce(int rank, std::int64_t first, std::int64_t count, const fingerprint& head,
                                int stream = 0)
    {
        call& c = begin(rank, head, 1);
        c.input = std::make_unique<exact_array<std::int32_t>>(count);
        for (std::int64_t i = 0; i < count; ++i) {
            (*c.input)[i] = static_cast<std::int32_t>(first + i);
        }
        workspace<interval>& space = spaces_[static_cast<std::size_t>(rank)];
        std::byte* const record = c.area.data() + static_cast<std::size_t>(rank) * c.stride;
        const auto end = device::conclude<algebra>::with_one(&c.then, boxes.report(rank, c.number));
        if (const device::chunking passes = device::cut_into_chunks(count, one_pass);
            takes_short_form_ && passes.length == short_reduce::chunk) {
            launch<short_reduce>(rank, passes.count,
                                 {.algebra = {},
                                  .source = device::contiguous<std::int32_t>(c.input->data()),
                                  .count = static_cast<int>(count),
                                  .record = record,
                                  .control = space.control(),
                                  .partials = space.partials(),
                                  .end = end},
                                 stream);
            return c.got;
        }
        const device::chunking chunks = device::cut_into_chunks(count, tiny_reduce);
        const int blocks =
            chunks.count < 1 ? 1 : 1 + static_cast<int>(how_.seed % static_cast<unsigned>(chunks.count));
        launch<reduce>(rank, blocks,
                       {.algebra = {},
                        .source = device::contiguous<std::int32_t>(c.input->data()),
                        .count = count,
                        .chunks = chunks,
                        .record = record,
                        .control = space.control(),
                        .partials = space.partials(),
                        .end = end},
                       stream);
        return c.got;
    }

    /// One exscan of `count` values 100 * i + rank.
    const results& queue_exscan(int rank, int count, const fingerprint& head)
    {
        call& c = begin(rank, head, count);
        c.input = std::make_unique<exact_array<std::int32_t>>(count);
        for (int i = 0; i < count; ++i) {
            (*c.input)[i] = 100 * i + rank;
        }
        launch<lift>(rank, 1,
                     {.algebra = {},
                      .values = c.input->data(),
                      .count = count,
                      .records = c.area.data() + static_cast<std::size_t>(rank) * c.stride,
                      .end = device::conclude<algebra>::with(&c.then, count, boxes.report(rank, c.number))});
        return c.got;
    }

    /// A call of a rank that has a problem: the exchange alone, with an error slot.
    void queue_refusal(int rank, fingerprint head)
    {
        call& c = begin(rank, head, 1);
        head.error = static_cast<std::uint8_t>(errc::usage);
        launch<device::exchange_kernel>(
            rank, 1,
            {.view = boxes.view(rank), .head = head, .row = {}, .failure = boxes.report(rank, c.number)});
    }

    /// Of the next reduction of a rank one chunk is lost, unless there is a block for each.
    void lose_chunk(int rank)
    {
        spaces_[static_cast<std::size_t>(rank)].control()->entry = 1;
        takes_short_form_ = false;
    }

    /// Another stream of a rank fails, at any time.
    void queue_failure(int rank, errc code)
    {
        refused_ =
            !machine_.launch<fail_kernel>({.blocks = 1, .threads = warp_size, .gpu = rank, .stream = 1},
                                          {boxes.report(rank, 0).word, code}) ||
            refused_;
    }

    /// Empty, or what the executor complains of.
    std::string run()
    {
        const executor::outcome ran = machine_.run();
        return refused_ ? "refused\n" : ran.ok() ? "" : ran.text;
    }

    mailboxes boxes;

private:
    struct call {
        std::uint32_t number;
        std::unique_ptr<exact_array<std::int32_t>> input;
        std::size_t stride;
        std::vector<std::byte> area;
        results got;
        conclusion then;
    };

    call& begin(int rank, const fingerprint& head, int records)
    {
        call& c = calls_.emplace_back();
        c.number = static_cast<std::uint32_t>(calls_.size());
        c.stride = sizeof(fingerprint) + static_cast<std::size_t>(records) * record_size;
        c.area.resize(c.stride * static_cast<std::size_t>(boxes.ranks()));
        c.then = {.mail = boxes.view(rank),
                  .head = head,
                  .received = c.area.data(),
                  .fold = {.records = c.area.data(),
                           .stride = c.stride,
                           .record_count = records,
                           .rank = rank,
                           .ranks = boxes.ranks(),
                           .total = c.got.totals,
                           .prefix = c.got.prefixes}};
        return c;
    }

    template <class Kernel>
    void launch(int rank, int blocks, const typename Kernel::arguments& args, int stream = 0)
    {
        const bool fits = machine_.launch<Kernel>(
            {.blocks = blocks, .threads = Kernel::threads, .gpu = rank, .stream = stream}, args);
        refused_ = refused_ || !fits;
    }

    const schedule& how_;
    bool takes_short_form_;
    executor::machine machine_;
    std::vector<workspace<interval>> spaces_;
    std::deque<call> calls_;
    bool refused_ = false;
};

/// Reductions of ragged pieces and exscans of one to many values, in turn. One rank: nothing to exchange.
inline std::string conclude_trial(const schedule& how)
{
    const int ranks = 1 + static_cast<int>(how.seed % 5);
    concluding_ranks group(how, ranks);
    std::vector<std::pair<const concluding_ranks::results*, concluding_ranks::results>> right;
    for (std::uint64_t c = 0; c < 4; ++c) {
        const fingerprint head =
            head_of(c % 2 == 0 ? call_kind::all_reduce : call_kind::exscan, static_cast<std::uint32_t>(c));
        const int counts[] = {1, 7, concluding_ranks::most_records};
        const int count = counts[(how.seed / 5 + c) % 3];
        std::int64_t first = 0;
        std::vector<std::pair<std::int64_t, std::int64_t>> pieces;
        for (int r = 0; r < ranks; ++r) {
            const std::int64_t length = length_of(how.seed * 7 + c * 3 + static_cast<std::uint64_t>(r) * 5);
            pieces.emplace_back(first, length);
            first += length;
        }
        const auto joined = [](std::int64_t begin, std::int64_t end) {
            return begin == end ? nothing
                                : interval{static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end)};
        };
        for (int r = 0; r < ranks; ++r) {
            concluding_ranks::results expected;
            const auto& [begin, length] = pieces[static_cast<std::size_t>(r)];
            if (c % 2 == 0) {
                expected.totals[0] = joined(0, first);
                expected.prefixes[0] = joined(0, begin);
                right.emplace_back(&group.queue_reduce(r, begin, length, head), expected);
                continue;
            }
            for (int i = 0; i < count; ++i) {
                expected.totals[i] = joined(100 * i, 100 * i + ranks);
                expected.prefixes[i] = joined(100 * i, 100 * i + r);
            }
            right.emplace_back(&group.queue_exscan(r, count, head), expected);
        }
    }
    const std::string wrong = group.run();
    for (std::size_t i = 0; wrong.empty() && i < right.size(); ++i) {
        const auto& [got, expected] = right[i];
        if (!std::equal(std::begin(got->totals), std::end(got->totals), expected.totals) ||
            !std::equal(std::begin(got->prefixes), std::end(got->prefixes), expected.prefixes)) {
            return "call " + std::to_string(i / static_cast<std::size_t>(ranks)) + " is wrong on rank " +
                   std::to_string(i % static_cast<std::size_t>(ranks)) + "\n";
        }
    }
    return wrong;
}

/// A rank of which another stream fails while a reduction waits for a chunk that is lost.
inline std::string give_up_trial(const schedule& how)
{
    const int ranks = 2 + static_cast<int>(how.seed % 3);
    const int bad = static_cast<int>(how.seed / 3 % static_cast<unsigned>(ranks));
    if (how.seed % 7 == 6) {
        return ""; // a block for every chunk: none is lost
    }
    concluding_ranks group(how, ranks);
    group.lose_chunk(bad);
    group.queue_failure(bad, errc::failed);
    for (int r = 0; r < ranks; ++r) {
        const std::int64_t count = r == bad ? 7 * tile : length_of(how.seed);
        group.queue_reduce(r, 0, count, head_of(call_kind::all_reduce));
        group.queue_exscan(r, 7, head_of(call_kind::exscan));
    }
    const std::string wrong = group.run();
    for (int r = 0; wrong.empty() && r < ranks; ++r) {
        if (group.boxes.failure(r).code != static_cast<std::uint32_t>(errc::failed)) {
            return "rank " + std::to_string(r) + " ended with " +
                   std::to_string(group.boxes.failure(r).code) + "\n";
        }
    }
    return wrong;
}

/// Two reductions that one rank has on streams that nothing orders: all is well, or all ranks hear that they
/// overlapped.
inline std::string overlapping_reductions_trial(const schedule& how)
{
    const int ranks = 2 + static_cast<int>(how.seed % 3);
    const int careless = static_cast<int>(how.seed / 3 % static_cast<unsigned>(ranks));
    concluding_ranks group(how, ranks);
    for (int call = 0; call < 2; ++call) {
        for (int r = 0; r < ranks; ++r) {
            group.queue_reduce(r, 0, 7 * tile, head_of(call_kind::all_reduce), r == careless ? call : 0);
        }
    }
    const std::string wrong = group.run();
    return wrong.empty() ? group.boxes.all_well_or_busy() : wrong;
}

} // namespace rankfold::simt::suites
