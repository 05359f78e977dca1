// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The local phases of an algebra on the cuda backend: from the type-erased tasks to launches of kernels.
#pragma once

#include "rankfold/device/bulk_scan.cuh"
#include "rankfold/device/fold.cuh"
#include "rankfold/device/launch.cuh"
#include "rankfold/device/lift.cuh"
#include "rankfold/device/lookback_scan.cuh"
#include "rankfold/device/one_pass_reduce.cuh"
#include "rankfold/device/rank_scan.cuh"
#include "rankfold/device/reduce.cuh"

#include <algorithm>

namespace rankfold::device {

/// Searches for a place are reductions only.
template <class Output>
inline constexpr bool is_scannable = true;
template <class T>
inline constexpr bool is_scannable<located<T>> = false;

/// The launch functions of A.
template <Algebra A>
struct phases {
    using input = typename A::input;
    using output = typename A::output;
    using accumulator = typename A::accumulator;
    using source = contiguous<input>;
    static constexpr bool can_scan = is_scannable<output>;

    static constexpr reduce_tuning reduce_tuning_row = reduce_row(sizeof(input));
    static constexpr scan_tuning scan_tuning_row =
        scan_row(sizeof(input), sizeof(accumulator), sizeof(output), simt::warp_size);
    using space = workspace_view<accumulator, reduce_tuning_row.chunks, scan_tuning_row.group>;
    using rank_scans = rank_scan<A, space>;

    static constexpr std::int64_t widest_bytes = sizeof(input) > sizeof(output) ? sizeof(input)
                                                                                : sizeof(output);
    using bulk_kernel =
        bulk_scan_kernel<A, bulk_row(sizeof(input), sizeof(accumulator), sizeof(output), simt::warp_size)>;
    using reducer = reduce_kernel<A, source, reduce_tuning_row>;
    template <class End>
    using one_pass_reducer = one_pass_reduce_kernel<A, source, reduce_tuning_row, End>;
    using alone = conclude_alone<A>;
    using among_ranks = conclude<A>;
    using lifter = lift_kernel<A, lift_threads>;
    using folder = fold_kernel<A, fold_threads>;
    using lookback_kernel = lookback_scan_kernel<A, source, scan_tuning_row>;

    static std::size_t workspace_bytes(std::int64_t max_count, const place& /*where*/)
    {
        const std::int64_t bulk_tiles = divide_up(max_count, bulk_kernel::tile_elements);
        const std::int64_t tiles = divide_up(max_count, lookback_kernel::tile_elements);
        return space::bytes(std::max({bulk_tiles, tiles, rank_scans::tiles_of(max_count)}));
    }

    static void load()
    {
        make_ready<reducer>("reduce_kernel");
        make_ready<one_pass_reducer<alone>>("one_pass_reduce_kernel");
        make_ready<one_pass_reducer<among_ranks>>("one_pass_reduce_kernel");
        make_ready<lifter>("lift_kernel");
        make_ready<folder>("fold_kernel");
        if constexpr (can_scan) {
            make_ready<lookback_kernel>("lookback_scan_kernel");
            make_ready<bulk_kernel>("bulk_scan_kernel");
            rank_scans::load();
        }
    }

    static void reduce(const operation& what, const reduce_task& task, const place& where)
    {
        const chunking chunks = cut_into_chunks(task.count, reduce_tuning_row);
        if (chunks.length != one_pass_reducer<alone>::chunk || where.max_resident_blocks != 0) {
            launch_reduce(what, task, chunks, where);
        } else if (alone::can_end(task.then)) {
            launch_one_pass_reduce<alone>(what, task, chunks.count, where);
        } else {
            launch_one_pass_reduce<among_ranks>(what, task, chunks.count, where);
        }
    }

    static void lift(const operation& what, const lift_task& task, const place& where)
    {
        launch<lifter>("lift_kernel", 1,
                       {.algebra = algebra_of<A>(what),
                        .values = static_cast<const input*>(task.values),
                        .count = task.count,
                        .records = task.records,
                        .end = conclude<A>::with(task.then, task.count, where.failure)},
                       where);
    }

    static void fold(const operation& what, const fold_task& task, const place& where)
    {
        launch<folder>("fold_kernel", 1,
                       {.algebra = algebra_of<A>(what), .task = task, .failure = where.failure}, where);
    }

    static void scan(const operation& what, const scan_task& task, const place& where)
    {
        if (task.count == 0) {
            if (task.total != nullptr) {
                launch_empty_total(what, task, where);
            }
            return;
        }
        switch (select_scan(task.count * widest_bytes, code_of<bulk_kernel>("bulk_scan_kernel").runs)) {
        case scan_form::registers:
            launch_lookback_scan(what, task, where);
            break;
        case scan_form::bulk:
            launch_bulk_scan(what, task, where);
            break;
        }
    }

    static void launch_lookback_scan(const operation& what, const scan_task& task, const place& where)
    {
        auto arguments = scan_arguments<lookback_kernel>(what, task, where);
        const int blocks = resident_blocks<lookback_kernel>(arguments.tiles, where);
        arguments.cooperative = blocks == arguments.tiles && where.max_resident_blocks == 0;
        if (!arguments.cooperative ||
            !launch_together<lookback_kernel>("lookback_scan_kernel", blocks, arguments, where)) {
            arguments.cooperative = false;
            launch<lookback_kernel>("lookback_scan_kernel", blocks, arguments, where);
        }
    }

    static void launch_bulk_scan(const operation& what, const scan_task& task, const place& where)
    {
        const auto arguments = scan_arguments<bulk_kernel>(what, task, where);
        launch<bulk_kernel>("bulk_scan_kernel", resident_blocks<bulk_kernel>(arguments.tiles, where),
                            arguments, where);
    }

private:
    static void launch_reduce(const operation& what, const reduce_task& task, const chunking& chunks,
                              const place& where)
    {
        launch<reducer>("reduce_kernel", resident_blocks<reducer>(chunks.count, where),
                        {.algebra = algebra_of<A>(what),
                         .source = source(task.input),
                         .count = task.count,
                         .chunks = chunks,
                         .record = task.record,
                         .control = space(task.workspace).control(),
                         .partials = space(task.workspace).partials(),
                         .end = conclude<A>::with_one(task.then, where.failure)},
                        where);
    }

    template <class End>
    static void launch_one_pass_reduce(const operation& what, const reduce_task& task, int chunks,
                                       const place& where)
    {
        launch<one_pass_reducer<End>>("one_pass_reduce_kernel", chunks,
                                      {.algebra = algebra_of<A>(what),
                                       .source = source(task.input),
                                       .count = static_cast<int>(task.count),
                                       .record = task.record,
                                       .control = space(task.workspace).control(),
                                       .partials = space(task.workspace).partials(),
                                       .end = End::with_one(task.then, where.failure)},
                                      where);
    }

    /// What every form of the scan on one rank is told.
    template <class Kernel>
    static typename Kernel::arguments scan_arguments(const operation& what, const scan_task& task,
                                                     const place& where)
    {
        return {.algebra = algebra_of<A>(what),
                .source = source(task.input),
                .sink = contiguous_sink<output>(task.output),
                .count = task.count,
                .tiles = divide_up(task.count, Kernel::tile_elements),
                .inclusive = task.inclusive,
                .init = task.init,
                .total = task.total,
                .control = space(task.workspace).control(),
                .states = space(task.workspace).table(),
                .failure = where.failure};
    }

    /// The total of an empty piece is the fold of no rank.
    static void launch_empty_total(const operation& what, const scan_task& task, const place& where)
    {
        fold(what, {.record_count = 1, .init = task.init, .total = task.total}, where);
    }
};

} // namespace rankfold::device

namespace rankfold {

/// The local phases of A on the cuda backend. Every launch is ordered on the place's stream and checked.
template <Algebra A>
constexpr local_phases device_phases()
{
    using phases = device::phases<A>;
    local_phases result;
    result.load = &phases::load;
    result.workspace_bytes = &phases::workspace_bytes;
    result.reduce = &phases::reduce;
    result.lift = &phases::lift;
    result.fold = &phases::fold;
    if constexpr (phases::can_scan) {
        result.scan = &phases::scan;
        result.tile_reduce = &phases::rank_scans::first_pass;
        result.tile_scan = &phases::rank_scans::second_pass;
    }
    return result;
}

} // namespace rankfold
