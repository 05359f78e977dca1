// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The forms of a scan, one by one: where they begin something new, what they need, how they are launched.
#pragma once

#include "device.hpp"

#include <algorithm>
#include <limits>

namespace rankfold::test {

/// The forms of a scan, by name, whatever the size would select.
enum class form {
    selected,
    registers,
    bulk,
    two_passes,
    onchip,
    onchip_in_two,
    wide_onchip,
    wide_onchip_in_two
};

/// All that code for this compute capability can run.
inline std::vector<form> forms_on(int capability)
{
    std::vector<form> result{form::registers,     form::two_passes,  form::onchip,
                             form::onchip_in_two, form::wide_onchip, form::wide_onchip_in_two};
    if (capability >= 90) {
        result.push_back(form::bulk);
    }
    return result;
}

/// What the scans and reductions of A need besides their elements.
template <Algebra A>
struct room {
    std::size_t workspace_bytes;
    device_memory workspace;
    device_memory records; ///< the record of a piece, and what stands before it
    static constexpr std::size_t records_bytes = 512;

    /// For `most` elements at once; a reduction of any count is content with 0.
    room(std::int64_t most, const place& here)
        : workspace_bytes(device::phases<A>::workspace_bytes(most, here)), workspace(workspace_bytes),
          records(records_bytes)
    {
        device::check_cuda(cudaMemsetAsync(workspace.as<>(), 0, workspace_bytes, here.stream), "cudaMemset");
        device::check_cuda(cudaMemsetAsync(records.as<>(), 0, records_bytes, here.stream), "cudaMemset");
    }

    [[nodiscard]] std::byte* record() const { return records.as<>(); }
    [[nodiscard]] std::byte* carry() const { return records.as<>(records_bytes / 2); }

    /// An inclusive scan with nothing before it.
    [[nodiscard]] scan_task scan(const void* in, void* out, std::int64_t count) const
    {
        scan_task task{};
        task.input = in;
        task.output = out;
        task.count = count;
        task.inclusive = true;
        task.record = record();
        task.carry = carry();
        task.workspace = workspace.as<>();
        return task;
    }
    [[nodiscard]] reduce_task reduce(const void* in, std::int64_t count) const
    {
        return {in, count, record(), workspace.as<>()};
    }
    /// What stands before the piece of `task`, for the forms of one rank and for those of several.
    void put_before(scan_task& task, const partial<typename A::output>& init, const place& here) const
    {
        std::vector<std::byte> before(record_bytes(sizeof(typename A::accumulator)));
        if (init.has_value()) {
            task.init.given = true;
            std::memcpy(task.init.bytes.data(), &init.value(), sizeof(typename A::output));
            write_record(before.data(), partial<typename A::accumulator>(A{}.raise(init.value())));
        }
        device::check_cuda(
            cudaMemcpyAsync(carry(), before.data(), before.size(), cudaMemcpyDefault, here.stream), "copy");
    }
};

/// What makes a scan conclude by itself on one rank, whose record is the task's.
template <Algebra A>
conclusion alone(const scan_task& task)
{
    return {.mail = {},
            .head = {},
            .received = task.record,
            .fold = {.records = task.record,
                     .stride = record_bytes(sizeof(typename A::accumulator)),
                     .record_count = 1,
                     .ranks = 1,
                     .init = task.init}};
}

/// A piece on chip, in one launch where it fits.
template <Algebra A, class Kernel>
void scan_on_chip(bool in_one, const operation& what, scan_task task, const place& here)
{
    using scans = typename device::phases<A>::rank_scans;
    const conclusion then = alone<A>(task);
    task.then = in_one ? &then : nullptr;
    scans::template begin_onchip_scan<Kernel>(what, task, here);
    scans::template finish_onchip_scan<Kernel>(what, task, here);
}

template <Algebra A>
void scan_by(form by, const operation& what, const scan_task& task, const place& here)
{
    using phases = device::phases<A>;
    using scans = typename phases::rank_scans;
    switch (by) {
    case form::selected:
        phases::scan(what, task, here);
        break;
    case form::registers:
        phases::launch_lookback_scan(what, task, here);
        break;
    case form::bulk:
        phases::launch_bulk_scan(what, task, here);
        break;
    case form::two_passes:
        scans::launch_tile_reduce(what, task, here);
        scans::launch_tile_scan(what, task, here);
        break;
    case form::onchip:
    case form::onchip_in_two:
        scan_on_chip<A, typename scans::onchip_kernel>(by == form::onchip, what, task, here);
        break;
    case form::wide_onchip:
    case form::wide_onchip_in_two:
        scan_on_chip<A, typename scans::wide_onchip_kernel>(by == form::wide_onchip, what, task, here);
        break;
    }
}

/// What a form is made of, in elements.
struct parts {
    std::int64_t lane; ///< what a lane owns side by side
    std::int64_t row;  ///< the lanes of a warp
    std::int64_t warp; ///< of a tile
    std::int64_t tile;
    std::int64_t group; ///< of tiles whose folds are looked at together
    std::int64_t grid;  ///< a tile for every block that is resident
    std::int64_t most;  ///< of a piece that takes this form
};

constexpr parts parts_of(const device::scan_tuning& row, int multiprocessors, std::int64_t most_tiles)
{
    const std::int64_t width = std::int64_t{row.vector} * simt::warp_size;
    return {.lane = row.vector,
            .row = width,
            .warp = width * row.rows,
            .tile = row.tile(),
            .group = row.group * row.tile(),
            .grid = std::int64_t{row.resident} * multiprocessors * row.tile(),
            .most = most_tiles * row.tile()};
}

template <class Kernel>
constexpr parts parts_of_bulk(int multiprocessors, std::int64_t most_tiles)
{
    constexpr std::int64_t tile = Kernel::tile_elements;
    return {.lane = Kernel::tile_type::lane_elements,
            .row = Kernel::tile_type::strip,
            .warp = Kernel::tile_type::strip,
            .tile = tile,
            .group = Kernel::follower_type::window * tile,
            .grid = Kernel::stages * multiprocessors * tile,
            .most = most_tiles * tile};
}

template <Algebra A>
parts parts_of(form by, const place& here)
{
    using phases = device::phases<A>;
    using scans = typename phases::rank_scans;
    constexpr std::int64_t endless = std::numeric_limits<int>::max();
    switch (by) {
    case form::bulk:
        return parts_of_bulk<typename phases::bulk_kernel>(here.multiprocessors, endless);
    case form::two_passes:
        return parts_of(scans::two_pass_tuning, here.multiprocessors, endless);
    case form::onchip:
    case form::onchip_in_two:
        return parts_of(scans::onchip_kernel::tuning, here.multiprocessors, device::onchip_tiles);
    case form::wide_onchip:
    case form::wide_onchip_in_two:
        return parts_of(scans::wide_onchip_kernel::tuning, here.multiprocessors, device::wide_onchip_tiles);
    case form::selected:
    case form::registers:
        break;
    }
    return parts_of(phases::scan_tuning_row, here.multiprocessors, endless);
}

/// Lengths around which something changes, up to `most` elements.
inline std::vector<std::int64_t> boundaries(const parts& of, std::int64_t most)
{
    if (reduced()) {
        return {1, of.lane + 1, of.row + 1, of.tile, of.tile + 1, 3 * of.tile - 1};
    }
    std::vector<std::int64_t> lengths{1, 2, 3 * of.tile - 1};
    for (const std::int64_t edge : {of.lane, of.row, of.warp, of.tile}) {
        lengths.insert(lengths.end(), {edge - 1, edge, edge + 1});
    }
    // A look-back takes a few groups at once.
    for (const std::int64_t edge : {of.group, 2 * of.group, 4 * of.group, 8 * of.group, of.grid, of.most}) {
        lengths.insert(lengths.end(), {edge - of.tile, edge - 1, edge, edge + 1, edge + of.tile + 1});
    }
    const std::int64_t longest = std::min(most, of.most);
    lengths.erase(std::remove_if(lengths.begin(), lengths.end(),
                                 [=](std::int64_t length) { return length < 1 || length > longest; }),
                  lengths.end());
    return lengths;
}

} // namespace rankfold::test
