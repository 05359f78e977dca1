// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The scan of several ranks, one GPU each: a first pass on every piece, exchange and fold in its last block
// or after it, a second pass on every piece; or all of it in one launch.
#pragma once

#include "../mailboxes.hpp"
#include "scan_trial.hpp"

#include "rankfold/device/onchip_scan.cuh"
#include "rankfold/device/tile_scan.cuh"

namespace rankfold::simt::suites {

enum class exchange_form { apart, in_kernel };
enum class local_form { tiles_of_warps, onchip_in_two, onchip };

template <Algebra A>
class passes {
public:
    using input = typename A::input;
    using output = typename A::output;
    using accumulator = typename A::accumulator;
    using source = device::contiguous<input>;
    static constexpr device::reduce_tuning fold_row = device::tile_fold_row(sizeof(input), tiny_scan);
    using tile_reduce = device::tile_reduce_kernel<A, source, fold_row, tiny_scan>;
    using tile_scan = device::tile_scan_kernel<A, source, tiny_scan>;
    using onchip = device::onchip_scan_kernel<A, source, tiny_scan>;
    using onchip_pass = device::onchip_pass;
    using fold = device::fold_kernel<A, 2 * warp_size>;

    passes(const schedule& how, int ranks, std::uint32_t first_epoch = 0)
        : machine_(how, ranks, 2), how_(how), boxes_(ranks, sizeof(slot) / 4, 0),
          ranks_(static_cast<std::size_t>(ranks))
    {
        for (rank_state& mine : ranks_) {
            mine.space.start_at(first_epoch, how.seed);
        }
    }

    workspace<accumulator>& space_of(std::size_t r) { return ranks_[r].space; }

    /// One scan over pieces of the given lengths, each rank in the form `local(rank)` where that is possible.
    template <class Local>
    std::string run(exchange_form exchange, const Local& local, const std::vector<std::int64_t>& counts,
                    bool inclusive, const init_value& init)
    {
        inclusive_ = inclusive;
        init_ = init;
        prepare(counts);
        for (std::size_t r = 0; r < counts.size(); ++r) {
            const bool fits = tiles_of(counts[r]) <= onchip::threads;
            ranks_[r].form = fits ? local(r) : local_form::tiles_of_warps;
        }
        const std::string wrong = exchange == exchange_form::apart ? run_apart() : run_fused();
        for (rank_state& mine : ranks_) {
            if (wrong.empty() && !mine.space.at_rest()) {
                return "a scan does not leave its workspace as it should\n";
            }
        }
        return wrong;
    }

    std::string check(partial<accumulator> left)
    {
        for (std::size_t r = 0; r < ranks_.size(); ++r) {
            const std::int64_t count = ranks_[r].count;
            input* const x = ranks_[r].in->data();
            const std::string wrong = check_scan(algebra_, x, *ranks_[r].out, count, inclusive_, left);
            if (!wrong.empty()) {
                return "on rank " + std::to_string(r) + " " + wrong;
            }
            left = serial_fold(algebra_, x, 0, count, left);
        }
        return "";
    }

    /// One scan on chip in which a rank does not take part: the others time out and write nothing.
    std::string run_without(std::size_t missing, std::int64_t count)
    {
        prepare(std::vector<std::int64_t>(ranks_.size(), count));
        for (std::size_t r = 0; r < ranks_.size(); ++r) {
            const conclusion then = conclusion_of(r);
            ranks_[r].form = local_form::onchip_in_two;
            if (r != missing && !queue_onchip(r, onchip_pass::both, &then)) {
                queue_first(r, &then);
                queue_second(r);
            }
        }
        const std::string wrong = run_queued();
        const auto untouched = [](const std::string& bytes) {
            return std::all_of(bytes.begin(), bytes.end(), [](char byte) { return byte == 0x5a; });
        };
        for (std::size_t r = 0; wrong.empty() && r < ranks_.size(); ++r) {
            const errc wanted = r == missing ? errc::success : errc::timeout;
            if (boxes_.failure(static_cast<int>(r)).code != static_cast<std::uint32_t>(wanted) ||
                !untouched(bytes_of(r))) {
                return "rank " + std::to_string(r) + " did not end as it should\n";
            }
        }
        return wrong;
    }

    /// Two scans on chip, which one rank has on streams that nothing orders: all is well, or all ranks hear
    /// that they overlapped.
    std::string run_overlapping(std::size_t careless)
    {
        prepare(std::vector<std::int64_t>(ranks_.size(), how_.resident_blocks < 3 ? tile : 2 * tile + 1));
        for (int call = 0; call < 2; ++call) {
            for (std::size_t r = 0; r < ranks_.size(); ++r) {
                const conclusion then = conclusion_of(r);
                refused_ = !queue_onchip(r, onchip_pass::both, &then, r == careless ? call : 0) || refused_;
            }
        }
        std::string wrong = run_queued();
        wrong = wrong.empty() ? boxes_.all_well_or_busy() : wrong;
        return wrong.empty() && boxes_.failure(0).code == 0 ? check({}) : wrong;
    }

    /// One first pass, while another stream fails one rank, at any time: the others hear of it, by no
    /// deadline, where they have to.
    std::string run_failing(std::size_t bad)
    {
        prepare(std::vector<std::int64_t>(ranks_.size(), 5 * tile + 3));
        boxes_.wait_for_ever();
        refused_ = !machine_.launch<fail_kernel>(
                       {.blocks = 1, .threads = warp_size, .gpu = static_cast<int>(bad), .stream = 1},
                       {boxes_.report(static_cast<int>(bad), 1).word, errc::failed}) ||
                   refused_;
        for (std::size_t r = 0; r < ranks_.size(); ++r) {
            const conclusion then = conclusion_of(r);
            queue_reduce(r, &then);
        }
        return run_queued();
    }

    /// The results of a rank, as bytes.
    [[nodiscard]] std::string bytes_of(std::size_t r)
    {
        return {reinterpret_cast<const char*>(ranks_[r].out->data()),
                static_cast<std::size_t>(ranks_[r].count) * sizeof(output)};
    }

private:
    static constexpr std::size_t record_size = record_bytes(sizeof(accumulator));

    struct rank_state {
        std::int64_t count;
        local_form form;
        std::unique_ptr<exact_array<input>> in;
        std::unique_ptr<exact_array<output>> out;
        workspace<accumulator> space;
        std::vector<slot> slots; // of all ranks, as this rank received them
        alignas(16) std::byte carry[record_size];
    };

    void prepare(const std::vector<std::int64_t>& counts)
    {
        std::int64_t first = 0;
        for (std::size_t r = 0; r < counts.size(); ++r) {
            rank_state& mine = ranks_[r];
            mine.count = counts[r];
            mine.in = std::make_unique<exact_array<input>>(counts[r],
                                                           static_cast<std::int64_t>((how_.seed + r) % 2));
            mine.out =
                std::make_unique<exact_array<output>>(counts[r], static_cast<std::int64_t>(how_.seed % 2));
            for (std::int64_t i = 0; i < counts[r]; ++i) {
                (*mine.in)[i] = element<input>(first + i);
            }
            first += counts[r];
            mine.slots.resize(counts.size());
            for (slot& s : mine.slots) {
                std::memset(static_cast<void*>(&s), 0xee, sizeof s);
                s.head = {};
            }
        }
    }

    std::string run_apart()
    {
        for (std::size_t r = 0; r < ranks_.size(); ++r) {
            queue_first(r, nullptr);
        }
        const std::string wrong = run_queued();
        for (std::size_t to = 0; to < ranks_.size(); ++to) {
            for (std::size_t from = 0; from < ranks_.size(); ++from) {
                ranks_[to].slots[from] = ranks_[from].slots[from];
            }
            launch<fold>(to, 1,
                         {.algebra = algebra_,
                          .task = fold_of(to, ranks_[to].slots.data()),
                          .failure = boxes_.report(static_cast<int>(to), 1)});
            queue_second(to);
        }
        return wrong.empty() ? run_queued() : wrong;
    }

    std::string run_fused()
    {
        for (std::size_t r = 0; r < ranks_.size(); ++r) {
            const conclusion then = conclusion_of(r);
            if (ranks_[r].form == local_form::onchip && queue_onchip(r, onchip_pass::both, &then)) {
                continue;
            }
            queue_first(r, &then);
            queue_second(r);
        }
        return run_queued();
    }

    std::string run_queued()
    {
        const executor::outcome ran = machine_.run();
        return refused_ ? "refused\n" : ran.ok() ? "" : ran.text;
    }

    fold_task fold_of(std::size_t r, const slot* slots)
    {
        return {.slots = slots,
                .records = ranks_[r].slots[0].payload,
                .stride = sizeof(slot),
                .record_count = 1,
                .rank = static_cast<int>(r),
                .ranks = static_cast<int>(ranks_.size()),
                .init = init_,
                .carry = ranks_[r].carry};
    }

    conclusion conclusion_of(std::size_t r)
    {
        return {.mail = boxes_.view(static_cast<int>(r)),
                .head = {},
                .received = ranks_[r].slots[0].payload,
                .fold = fold_of(r, nullptr)};
    }

    static std::int64_t tiles_of(std::int64_t count) { return (count + tile - 1) / tile; }
    [[nodiscard]] int blocks_of(std::int64_t tiles) const
    {
        return tiles < 1 ? 1 : 1 + static_cast<int>(how_.seed % static_cast<unsigned>(tiles < 5 ? tiles : 5));
    }

    void queue_first(std::size_t r, const conclusion* then)
    {
        if (ranks_[r].form == local_form::tiles_of_warps) {
            return queue_reduce(r, then);
        }
        refused_ = !queue_onchip(r, onchip_pass::first, then) || refused_;
    }

    void queue_second(std::size_t r)
    {
        if (ranks_[r].form == local_form::tiles_of_warps) {
            return queue_scan(r);
        }
        refused_ = !queue_onchip(r, onchip_pass::second, nullptr) || refused_;
    }

    /// False where a cooperative launch does not fit.
    bool queue_onchip(std::size_t r, onchip_pass pass, const conclusion* then, int stream = 0)
    {
        rank_state& mine = ranks_[r];
        const std::int64_t tiles = tiles_of(mine.count);
        const bool cooperative = pass == onchip_pass::both;
        const int all = tiles < 1 ? 1 : static_cast<int>(tiles);
        return machine_.launch<onchip>(
            {.blocks = cooperative ? all : blocks_of(tiles),
             .threads = onchip::threads,
             .cooperative = cooperative,
             .gpu = static_cast<int>(r),
             .stream = stream},
            {.algebra = algebra_,
             .source = source(mine.in->data()),
             .sink = device::contiguous_sink<output>(mine.out->data()),
             .count = mine.count,
             .tiles = static_cast<int>(tiles),
             .pass = pass,
             .inclusive = inclusive_,
             .record = mine.slots[r].payload,
             .carry = mine.carry,
             .control = mine.space.control(),
             .folds = mine.space.partials(),
             .posts = mine.space.posts(),
             .end = device::conclude<A>::with_one(then, boxes_.report(static_cast<int>(r), 1))});
    }

    void queue_reduce(std::size_t r, const conclusion* then)
    {
        rank_state& mine = ranks_[r];
        const std::int64_t tiles = tiles_of(mine.count);
        launch<tile_reduce>(
            r, blocks_of(tiles),
            {.algebra = algebra_,
             .source = source(mine.in->data()),
             .count = mine.count,
             .tiles = tiles,
             .record = mine.slots[r].payload,
             .control = mine.space.control(),
             .table = mine.space.table(),
             .end = device::conclude<A>::with_one(then, boxes_.report(static_cast<int>(r), 1))});
    }

    void queue_scan(std::size_t r)
    {
        rank_state& mine = ranks_[r];
        const std::int64_t tiles = tiles_of(mine.count);
        if (tiles > 0) {
            launch<tile_scan>(r, blocks_of(tiles),
                              {.algebra = algebra_,
                               .source = source(mine.in->data()),
                               .sink = device::contiguous_sink<output>(mine.out->data()),
                               .count = mine.count,
                               .tiles = tiles,
                               .inclusive = inclusive_,
                               .carry = mine.carry,
                               .table = mine.space.table(),
                               .failure = boxes_.report(static_cast<int>(r), 1).word});
        }
    }

    template <class Kernel>
    void launch(std::size_t rank, int blocks, const typename Kernel::arguments& args)
    {
        const bool fits = machine_.launch<Kernel>(
            {.blocks = blocks, .threads = Kernel::threads, .gpu = static_cast<int>(rank)}, args);
        refused_ = refused_ || !fits;
    }

    executor::machine machine_;
    const schedule& how_;
    A algebra_{};
    bool inclusive_ = true;
    init_value init_;
    mailboxes boxes_;
    std::vector<rank_state> ranks_;
    bool refused_ = false;
};

/// Two scans of ragged pieces on 1 to 7 ranks, on the same workspaces.
template <Algebra A>
std::string passes_trial(const schedule& how, const typename A::output& init, std::uint32_t first_epoch = 0)
{
    const int rank_counts[] = {1, 2, 3, 4, 7};
    const int ranks = rank_counts[how.seed / 4 % 5];
    passes<A> scans(how, ranks, first_epoch);
    for (std::uint64_t call = 0; call < 2; ++call) {
        std::vector<std::int64_t> counts;
        for (int r = 0; r < ranks; ++r) {
            counts.push_back(length_of(how.seed * 5 + call * 3 + static_cast<std::uint64_t>(r) * 7));
        }
        const bool has_init = (how.seed / 8 + call) % 3 == 0;
        const A algebra{};
        std::string wrong = scans.run(
            static_cast<exchange_form>((how.seed / 3 + call) % 4 > 0),
            [&](std::size_t r) { return static_cast<local_form>((how.seed / 7 + r + call) % 3); }, counts,
            (how.seed / 2 + call) % 2 == 0, has_init ? make_init<A>(init) : init_value{});
        if (wrong.empty()) {
            wrong = scans.check(has_init ? partial<typename A::accumulator>(algebra.raise(init))
                                         : partial<typename A::accumulator>());
        }
        if (!wrong.empty()) {
            return wrong;
        }
    }
    return "";
}

/// As run_without says, of pieces of one tile and of six.
template <Algebra A>
std::string missing_rank_trial(const schedule& how)
{
    return passes<A>(how, 3).run_without(how.seed / 2 % 3, how.seed % 2 == 0 ? tile - 3 : 5 * tile + 3);
}

/// As run_overlapping says.
template <Algebra A>
std::string overlapping_scans_trial(const schedule& how)
{
    const int ranks = 2 + static_cast<int>(how.seed % 3);
    return passes<A>(how, ranks).run_overlapping(how.seed / 3 % static_cast<std::size_t>(ranks));
}

/// As run_failing says.
template <Algebra A>
std::string failing_first_pass_trial(const schedule& how)
{
    const int ranks = 2 + static_cast<int>(how.seed % 3);
    return passes<A>(how, ranks).run_failing(how.seed / 3 % static_cast<std::size_t>(ranks));
}

} // namespace rankfold::simt::suites
