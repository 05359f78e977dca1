// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The scan on one of several ranks: which form a piece takes, and its launches.
#pragma once

#include "rankfold/device/launch.cuh"
#include "rankfold/device/onchip_scan.cuh"
#include "rankfold/device/tile_scan.cuh"

namespace rankfold::device {

/// Largest grid of a kernel with one block per tile.
inline constexpr std::int64_t most_blocks = (std::int64_t{1} << 31) - 1;

/// Launches of A. Space: the workspace_view of its plans.
template <Algebra A, class Space>
struct rank_scan {
    using input = typename A::input;
    using output = typename A::output;
    using accumulator = typename A::accumulator;
    using source = contiguous<input>;

    static constexpr scan_tuning two_pass_tuning =
        two_pass_row(sizeof(input), sizeof(accumulator), sizeof(output), simt::warp_size);
    using tile_reducer =
        tile_reduce_kernel<A, source, tile_fold_row(sizeof(input), two_pass_tuning), two_pass_tuning>;
    using tile_scanner = tile_scan_kernel<A, source, two_pass_tuning>;
    using onchip_kernel =
        onchip_scan_kernel<A, source,
                           onchip_row(sizeof(input), sizeof(accumulator), sizeof(output), simt::warp_size)>;
    using wide_onchip_kernel = onchip_scan_kernel<
        A, source, wide_onchip_row(sizeof(input), sizeof(accumulator), sizeof(output), simt::warp_size)>;
    static_assert(onchip_tiles <= onchip_kernel::threads &&
                  wide_onchip_tiles <= wide_onchip_kernel::threads && wide_onchip_tiles <= onchip_tiles);

    /// Tiles that a piece may need room for in the workspace.
    static constexpr std::int64_t tiles_of(std::int64_t count)
    {
        return divide_up(count, two_pass_tuning.tile());
    }

    static void load()
    {
        make_ready<onchip_kernel>("onchip_scan_kernel");
        make_ready<wide_onchip_kernel>("onchip_scan_kernel");
        make_ready<tile_reducer>("tile_reduce_kernel");
        make_ready<tile_scanner>("tile_scan_kernel");
    }

    static rank_scan_form select_form(const scan_task& task)
    {
        return select_rank_scan(task.count, onchip_kernel::tuning.tile(), wide_onchip_kernel::tuning.tile());
    }

    static void first_pass(const operation& what, const scan_task& task, const place& where)
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

    static void second_pass(const operation& what, const scan_task& task, const place& where)
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
        return task.then != nullptr && !where.coexist && where.max_resident_blocks == 0 &&
               tiles <= resident_blocks<Kernel>(tiles, where);
    }

    template <class Kernel>
    static void begin_onchip_scan(const operation& what, const scan_task& task, const place& where)
    {
        if (!stays_on_chip<Kernel>(task, where)) {
            launch_onchip_scan<Kernel>(onchip_pass::first, what, task, where);
        } else if (!launch_together<Kernel>("onchip_scan_kernel", onchip_blocks<Kernel>(task, where),
                                            onchip_arguments<Kernel>(onchip_pass::both, what, task, where),
                                            where)) {
            // The blocks do not fit the stream at once. finish_onchip_scan takes both passes for done.
            launch_onchip_scan<Kernel>(onchip_pass::first, what, task, where);
            if (task.count > 0) {
                launch_onchip_scan<Kernel>(onchip_pass::second, what, task, where);
            }
        }
    }

    template <class Kernel>
    static void finish_onchip_scan(const operation& what, const scan_task& task, const place& where)
    {
        if (task.count > 0 && !stays_on_chip<Kernel>(task, where)) {
            launch_onchip_scan<Kernel>(onchip_pass::second, what, task, where);
        }
    }

    template <class Kernel>
    static int onchip_blocks(const scan_task& task, const place& where)
    {
        return resident_blocks<Kernel>(divide_up(task.count, Kernel::tuning.tile()), where);
    }

    template <class Kernel>
    static typename Kernel::arguments onchip_arguments(onchip_pass pass, const operation& what,
                                                       const scan_task& task, const place& where)
    {
        auto end = conclude<A>::with_one(pass == onchip_pass::second ? nullptr : task.then, where.failure);
        if (pass == onchip_pass::both) {
            end.then.fold.carry = nullptr; // read by a second launch only
        }
        return {.algebra = algebra_of<A>(what),
                .source = source(task.input),
                .sink = contiguous_sink<output>(task.output),
                .count = task.count,
                .tiles = static_cast<int>(divide_up(task.count, Kernel::tuning.tile())),
                .pass = pass,
                .inclusive = task.inclusive,
                .record = task.record,
                .carry = task.carry,
                .control = Space(task.workspace).control(),
                .folds = Space(task.workspace).partials(),
                .posts = Space(task.workspace).posts(),
                .end = end};
    }

    /// One of two passes.
    template <class Kernel>
    static void launch_onchip_scan(onchip_pass pass, const operation& what, const scan_task& task,
                                   const place& where)
    {
        launch<Kernel>("onchip_scan_kernel", onchip_blocks<Kernel>(task, where),
                       onchip_arguments<Kernel>(pass, what, task, where), where);
    }

    static void launch_tile_reduce(const operation& what, const scan_task& task, const place& where)
    {
        const std::int64_t tiles = divide_up(task.count, two_pass_tuning.tile());
        launch<tile_reducer>("tile_reduce_kernel", resident_blocks<tile_reducer>(tiles, where),
                             {.algebra = algebra_of<A>(what),
                              .source = source(task.input),
                              .count = task.count,
                              .tiles = tiles,
                              .record = task.record,
                              .control = Space(task.workspace).control(),
                              .table = Space(task.workspace).table(),
                              .end = conclude<A>::with_one(task.then, where.failure)},
                             where);
    }

    static void launch_tile_scan(const operation& what, const scan_task& task, const place& where)
    {
        const std::int64_t tiles = divide_up(task.count, two_pass_tuning.tile());
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
                              .table = Space(task.workspace).table(),
                              .failure = where.failure.word},
                             where);
    }
};

} // namespace rankfold::device
