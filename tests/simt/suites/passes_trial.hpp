// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The scan of several ranks: tile_reduce on every piece, the exchange and fold, tile_scan on every piece.
#pragma once

#include "scan_trial.hpp"

#include "rankfold/device/fold.cuh"
#include "rankfold/device/tile_scan.cuh"

namespace rankfold::simt::suites {

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
    using fold = device::fold_kernel<A, 2 * warp_size>;

    passes(const schedule& how, int ranks)
        : machine_(how), how_(how), slots_(static_cast<std::size_t>(ranks)),
          spaces_(static_cast<std::size_t>(ranks))
    {
    }

    /// One scan over pieces of the given lengths.
    std::string run(const std::vector<std::int64_t>& counts, bool inclusive, const init_value& init,
                    partial<accumulator> left)
    {
        inclusive_ = inclusive;
        init_ = init;
        std::int64_t first = 0;
        for (slot& s : slots_) {
            std::memset(static_cast<void*>(&s), 0xee, sizeof s);
            s.head = {};
        }
        std::vector<exact_array<input>> pieces;
        for (std::size_t r = 0; r < counts.size(); ++r) {
            pieces.emplace_back(counts[r], static_cast<std::int64_t>((how_.seed + r) % 2));
            for (std::int64_t i = 0; i < counts[r]; ++i) {
                pieces[r][i] = element<input>(first + i);
            }
            first += counts[r];
            queue_reduce(r, pieces[r], counts[r]);
        }
        std::vector<exact_array<output>> results;
        alignas(16) std::byte carries[16][record_bytes(sizeof(accumulator))];
        for (std::size_t r = 0; r < counts.size(); ++r) {
            results.emplace_back(counts[r], static_cast<std::int64_t>(how_.seed % 2));
            queue_fold(static_cast<int>(r), carries[r]);
            queue_scan(r, pieces[r], results[r], counts[r], carries[r]);
        }
        const executor::outcome ran = machine_.run();
        if (refused_ || !ran.ok()) {
            return refused_ ? "refused\n" : ran.text;
        }
        for (std::size_t r = 0; r < counts.size(); ++r) {
            const std::string wrong =
                check_scan(algebra_, pieces[r].data(), results[r], counts[r], inclusive, left);
            if (!wrong.empty()) {
                return "on rank " + std::to_string(r) + " " + wrong;
            }
            left = serial_fold(algebra_, pieces[r].data(), 0, counts[r], left);
        }
        return "";
    }

private:
    static std::int64_t tiles_of(std::int64_t count) { return (count + tile - 1) / tile; }
    [[nodiscard]] int blocks_of(std::int64_t tiles) const
    {
        return tiles < 1 ? 1 : 1 + static_cast<int>(how_.seed % static_cast<unsigned>(tiles < 5 ? tiles : 5));
    }

    void queue_reduce(std::size_t r, exact_array<input>& x, std::int64_t count)
    {
        workspace<accumulator>& space = spaces_[r];
        const std::int64_t tiles = tiles_of(count);
        launch<tile_reduce>(blocks_of(tiles), {.algebra = algebra_,
                                               .source = source(x.data()),
                                               .count = count,
                                               .tiles = tiles,
                                               .record = slots_[r].payload,
                                               .control = &space.control,
                                               .table = space.table(),
                                               .failure = &space.failure});
    }

    void queue_fold(int rank, std::byte* carry)
    {
        launch<fold>(1, {.algebra = algebra_,
                         .task = {.slots = slots_.data(),
                                  .records = slots_[0].payload,
                                  .stride = sizeof(slot),
                                  .record_count = 1,
                                  .rank = rank,
                                  .ranks = static_cast<int>(slots_.size()),
                                  .init = init_,
                                  .total = nullptr,
                                  .prefix = nullptr,
                                  .carry = carry},
                         .call = 1,
                         .failure = &spaces_[0].failure,
                         .failure_mirror = nullptr});
    }

    void queue_scan(std::size_t r, exact_array<input>& x, exact_array<output>& y, std::int64_t count,
                    const std::byte* carry)
    {
        workspace<accumulator>& space = spaces_[r];
        const std::int64_t tiles = tiles_of(count);
        if (tiles > 0) {
            launch<tile_scan>(blocks_of(tiles), {.algebra = algebra_,
                                                 .source = source(x.data()),
                                                 .sink = device::contiguous_sink<output>(y.data()),
                                                 .count = count,
                                                 .tiles = tiles,
                                                 .inclusive = inclusive_,
                                                 .carry = carry,
                                                 .table = space.table(),
                                                 .failure = &space.failure});
        }
    }

    template <class Kernel>
    void launch(int blocks, const typename Kernel::arguments& args)
    {
        const bool fits = machine_.launch<Kernel>({.blocks = blocks, .threads = Kernel::threads}, args);
        refused_ = refused_ || !fits;
    }

    executor::machine machine_;
    const schedule& how_;
    A algebra_{};
    bool inclusive_ = true;
    init_value init_;
    std::vector<slot> slots_;
    std::vector<workspace<accumulator>> spaces_;
    bool refused_ = false;
};

/// Two scans of ragged pieces on 1 to 7 ranks, on the same workspaces.
template <Algebra A>
std::string passes_trial(const schedule& how, const typename A::output& init)
{
    const int rank_counts[] = {1, 2, 3, 4, 7};
    const int ranks = rank_counts[how.seed / 4 % 5];
    passes<A> scans(how, ranks);
    for (std::uint64_t call = 0; call < 2; ++call) {
        std::vector<std::int64_t> counts;
        for (int r = 0; r < ranks; ++r) {
            counts.push_back(length_of(how.seed * 5 + call * 3 + static_cast<std::uint64_t>(r) * 7));
        }
        const bool has_init = (how.seed / 8 + call) % 3 == 0;
        const A algebra{};
        const std::string wrong =
            scans.run(counts, (how.seed / 2 + call) % 2 == 0, has_init ? make_init<A>(init) : init_value{},
                      has_init ? partial<typename A::accumulator>(algebra.raise(init))
                               : partial<typename A::accumulator>());
        if (!wrong.empty()) {
            return wrong;
        }
    }
    return "";
}

} // namespace rankfold::simt::suites
