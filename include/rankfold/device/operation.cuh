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
#include "rankfold/device/onchip_scan.cuh"
#include "rankfold/device/reduce.cuh"
#include "rankfold/device/tile_scan.cuh"

#include <algorithm>

namespace rankfold::device {

/// Largest grid of a kernel with one block per tile.
inline constexpr std::int64_t most_blocks = (std::int64_t{1} << 31) - 1;

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
    using kept_source = contiguous<input, simt::cache::keep>;
    static constexpr bool can_scan = is_scannable<output>;

    static constexpr reduce_tuning reduce_tuning_row = reduce_row(sizeof(input));
    static constexpr scan_tuning scan_tuning_row =
        scan_row(sizeof(input), sizeof(accumulator), sizeof(output), simt::warp_size);
    static constexpr scan_tuning two_pass_tuning_row =
        two_pass_row(sizeof(input), sizeof(accumulator), sizeof(output), simt::warp_size);
    static constexpr reduce_tuning tile_tuning_row = tile_fold_row(sizeof(input), two_pass_tuning_row);

    using table = tile_table<accumulator, scan_tuning_row.group>;

    static constexpr std::int64_t widest_bytes = sizeof(input) > sizeof(output) ? sizeof(input)
                                                                                : sizeof(output);
    using bulk_kernel =
        bulk_scan_kernel<A, bulk_row(sizeof(input), sizeof(accumulator), sizeof(output), simt::warp_size)>;
    using reducer = reduce_kernel<A, source, reduce_tuning_row>;
    using lifter = lift_kernel<A, lift_threads>;
    using folder = fold_kernel<A, fold_threads>;
    using lookback_kernel = lookback_scan_kernel<A, source, scan_tuning_row>;
    using onchip_kernel =
        onchip_scan_kernel<A, source,
                           onchip_row(sizeof(input), sizeof(accumulator), sizeof(output), simt::warp_size)>;
    using wide_onchip_kernel = onchip_scan_kernel<
        A, source, wide_onchip_row(sizeof(input), sizeof(accumulator), sizeof(output), simt::warp_size)>;
    static_assert(onchip_tiles <= onchip_kernel::threads && onchip_tiles <= reduce_tuning_row.chunks &&
                  wide_onchip_tiles <= wide_onchip_kernel::threads && wide_onchip_tiles <= onchip_tiles);
    using tile_reducer = tile_reduce_kernel<A, kept_source, tile_tuning_row, two_pass_tuning_row>;
    using tile_scanner = tile_scan_kernel<A, source, two_pass_tuning_row>;

    static constexpr std::int64_t divide_up(std::int64_t count, std::int64_t by)
    {
        return (count + by - 1) / by;
    }
    static constexpr std::size_t posts_offset =
        sizeof(control) + static_cast<std::size_t>(reduce_tuning_row.chunks) * plain_words<accumulator> * 8;
    static constexpr std::size_t table_offset =
        posts_offset + static_cast<std::size_t>(onchip_tiles) * post_words<accumulator> * 8;

    static std::size_t workspace_bytes(std::int64_t max_count, const place& /*where*/)
    {
        const std::int64_t bulk_tiles = divide_up(max_count, bulk_kernel::tile_elements);
        const std::int64_t tiles = divide_up(max_count, scan_tuning_row.tile());
        const std::int64_t two_pass_tiles = divide_up(max_count, two_pass_tuning_row.tile());
        return table_offset + table::bytes(std::max({bulk_tiles, tiles, two_pass_tiles}));
    }

    static std::byte* at(void* workspace, std::size_t offset)
    {
        return static_cast<std::byte*>(workspace) + offset;
    }
    static control* control_of(void* workspace) { return reinterpret_cast<control*>(workspace); }
    static std::uint64_t* partials_of(void* workspace)
    {
        return reinterpret_cast<std::uint64_t*>(at(workspace, sizeof(control)));
    }
    static std::uint64_t* posts_of(void* workspace)
    {
        return reinterpret_cast<std::uint64_t*>(at(workspace, posts_offset));
    }
    static table table_of(void* workspace)
    {
        return {reinterpret_cast<std::uint64_t*>(at(workspace, table_offset))};
    }

    static void load()
    {
        device::load<reducer>("reduce_kernel");
        device::load<lifter>("lift_kernel");
        device::load<folder>("fold_kernel");
        if constexpr (can_scan) {
            device::load<lookback_kernel>("lookback_scan_kernel");
            device::load<bulk_kernel>("bulk_scan_kernel");
            device::load<onchip_kernel>("onchip_scan_kernel");
            device::load<wide_onchip_kernel>("onchip_scan_kernel");
            device::load<tile_reducer>("tile_reduce_kernel");
            device::load<tile_scanner>("tile_scan_kernel");
        }
    }

    static void reduce(const operation& what, const reduce_task& task, const place& where)
    {
        const chunking chunks = cut_into_chunks(task.count, reduce_tuning_row);
        launch<reducer>("reduce_kernel", resident_blocks<reducer>(chunks.count, where),
                        {.algebra = algebra_of<A>(what),
                         .source = source(task.input),
                         .count = task.count,
                         .chunks = chunks,
                         .record = task.record,
                         .control = control_of(task.workspace),
                         .partials = partials_of(task.workspace),
                         .end = conclude<A>::with(task.then, 1, where.failure)},
                        where);
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
        switch (select_scan(task.count * widest_bytes, where.capability)) {
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
        const std::int64_t tiles = divide_up(task.count, scan_tuning_row.tile());
        const int blocks = resident_blocks<lookback_kernel>(tiles, where);
        const bool cooperative = blocks == tiles && where.max_resident_blocks == 0;
        launch<lookback_kernel>("lookback_scan_kernel", blocks,
                                {.algebra = algebra_of<A>(what),
                                 .source = source(task.input),
                                 .sink = contiguous_sink<output>(task.output),
                                 .count = task.count,
                                 .tiles = tiles,
                                 .cooperative = cooperative,
                                 .inclusive = task.inclusive,
                                 .init = task.init,
                                 .total = task.total,
                                 .control = control_of(task.workspace),
                                 .states = table_of(task.workspace),
                                 .failure = where.failure.word},
                                where, cooperative ? residency::cooperative : residency::any);
    }

    static void launch_bulk_scan(const operation& what, const scan_task& task, const place& where)
    {
        const std::int64_t tiles = divide_up(task.count, bulk_kernel::tile_elements);
        launch<bulk_kernel>("bulk_scan_kernel", resident_blocks<bulk_kernel>(tiles, where),
                            {.algebra = algebra_of<A>(what),
                             .data = static_cast<const input*>(task.input),
                             .sink = contiguous_sink<output>(task.output),
                             .count = task.count,
                             .tiles = tiles,
                             .inclusive = task.inclusive,
                             .init = task.init,
                             .total = task.total,
                             .control = control_of(task.workspace),
                             .states = table_of(task.workspace),
                             .failure = where.failure.word},
                            where);
    }

    /// The total of an empty piece is the fold of no rank.
    static void launch_empty_total(const operation& what, const scan_task& task, const place& where)
    {
        fold(what, {.record_count = 1, .init = task.init, .total = task.total}, where);
    }

    static rank_scan_form select_form(const scan_task& task)
    {
        return select_rank_scan(task.count, onchip_kernel::tuning.tile(), wide_onchip_kernel::tuning.tile());
    }

    static void tile_reduce(const operation& what, const scan_task& task, const place& where)
    {
        switch (select_form(task)) {
        case rank_scan_form::onchip:
            return begin_onchip_scan<onchip_kernel>(what, task, where);
        case rank_scan_form::wide_onchip:
            return begin_onchip_scan<wide_onchip_kernel>(what, task, where);
        case rank_scan_form::two_passes:
            return launch_tile_reduce(what, task, where);
        }
    }

    static void tile_scan(const operation& what, const scan_task& task, const place& where)
    {
        switch (select_form(task)) {
        case rank_scan_form::onchip:
            return finish_onchip_scan<onchip_kernel>(what, task, where);
        case rank_scan_form::wide_onchip:
            return finish_onchip_scan<wide_onchip_kernel>(what, task, where);
        case rank_scan_form::two_passes:
            return launch_tile_scan(what, task, where);
        }
    }

    /// Whether one launch makes both passes.
    template <class Kernel>
    static bool stays_on_chip(const scan_task& task, const place& where)
    {
        const std::int64_t tiles = divide_up(task.count, Kernel::tuning.tile());
        return task.then != nullptr && where.max_resident_blocks == 0 &&
               tiles <= resident_blocks<Kernel>(tiles, where);
    }

    template <class Kernel>
    static void begin_onchip_scan(const operation& what, const scan_task& task, const place& where)
    {
        const bool stays = stays_on_chip<Kernel>(task, where);
        launch_onchip_scan<Kernel>(stays ? onchip_pass::both : onchip_pass::first, what, task, where);
    }

    template <class Kernel>
    static void finish_onchip_scan(const operation& what, const scan_task& task, const place& where)
    {
        if (task.count > 0 && !stays_on_chip<Kernel>(task, where)) {
            launch_onchip_scan<Kernel>(onchip_pass::second, what, task, where);
        }
    }

    template <class Kernel>
    static void launch_onchip_scan(onchip_pass pass, const operation& what, const scan_task& task,
                                   const place& where)
    {
        const std::int64_t tiles = divide_up(task.count, Kernel::tuning.tile());
        launch<Kernel>(
            "onchip_scan_kernel", resident_blocks<Kernel>(tiles, where),
            {.algebra = algebra_of<A>(what),
             .source = source(task.input),
             .sink = contiguous_sink<output>(task.output),
             .count = task.count,
             .tiles = static_cast<int>(tiles),
             .pass = pass,
             .inclusive = task.inclusive,
             .record = task.record,
             .carry = task.carry,
             .control = control_of(task.workspace),
             .folds = partials_of(task.workspace),
             .posts = posts_of(task.workspace),
             .end = conclude<A>::with(pass == onchip_pass::second ? nullptr : task.then, 1, where.failure)},
            where, pass == onchip_pass::both ? residency::cooperative : residency::any);
    }

    static void launch_tile_reduce(const operation& what, const scan_task& task, const place& where)
    {
        const std::int64_t tiles = divide_up(task.count, two_pass_tuning_row.tile());
        launch<tile_reducer>("tile_reduce_kernel", resident_blocks<tile_reducer>(tiles, where),
                             {.algebra = algebra_of<A>(what),
                              .source = kept_source(task.input), // for tile_scan to find in L2
                              .count = task.count,
                              .tiles = tiles,
                              .record = task.record,
                              .control = control_of(task.workspace),
                              .table = table_of(task.workspace),
                              .end = conclude<A>::with(task.then, 1, where.failure)},
                             where);
    }

    static void launch_tile_scan(const operation& what, const scan_task& task, const place& where)
    {
        const std::int64_t tiles = divide_up(task.count, two_pass_tuning_row.tile());
        if (tiles == 0) {
            return;
        }
        const std::int64_t limit = where.max_resident_blocks > 0 ? where.max_resident_blocks : most_blocks;
        launch<tile_scanner>("tile_scan_kernel", static_cast<int>(tiles < limit ? tiles : limit),
                             {.algebra = algebra_of<A>(what),
                              .source = source(task.input),
                              .sink = contiguous_sink<output>(task.output),
                              .count = task.count,
                              .tiles = tiles,
                              .inclusive = task.inclusive,
                              .carry = task.carry,
                              .table = table_of(task.workspace),
                              .failure = where.failure.word},
                             where);
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
        result.tile_reduce = &phases::tile_reduce;
        result.tile_scan = &phases::tile_scan;
    }
    return result;
}

} // namespace rankfold
