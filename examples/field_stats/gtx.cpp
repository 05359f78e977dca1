// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// NOAA VDatum .gtx grids of vertical shifts: 40 bytes of big-endian header (latitude and longitude of the
// lower left corner, latitude and longitude steps as doubles; rows and columns as 32-bit integers), then rows
// from south to north of big-endian floats; of doubles in files of before October 2009, which only the length
// of the file tells.
//
// -88.8888 stands for "not known". Grids in use have other large numbers there, so that PROJ leaves out
// whatever is beyond 1000 metres (GTXVerticalShiftGrid::isNodata); so do we.
#include "bytes.hpp"
#include "layout.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace field_stats {
namespace {

constexpr std::int64_t gtx_head_bytes = 40;
constexpr no_data_rule gtx_no_data{.value = -88.8888F, .beyond = 1000.0};

struct gtx_header {
    geographic_grid grid;
    std::int32_t rows;
    std::int32_t columns;

    [[nodiscard]] std::int64_t count() const { return std::int64_t{rows} * columns; }
    [[nodiscard]] double last_latitude() const { return grid.latitude + grid.latitude_step * (rows - 1); }
};

gtx_header header_of(const file_head& head, std::endian endian)
{
    const auto real = [&](int at) { return load<double>(head.bytes.data() + at, endian); };
    return {.grid = {real(0), real(8), real(16), real(24)},
            .rows = load<std::int32_t>(head.bytes.data() + 32, endian),
            .columns = load<std::int32_t>(head.bytes.data() + 36, endian)};
}

bool plausible(const gtx_header& h)
{
    const geographic_grid& g = h.grid;
    const bool corner = std::abs(g.latitude) <= 90.0 && std::abs(g.longitude) <= 360.0; // false for NaN
    const bool steps = g.latitude_step > 0.0 && g.latitude_step <= 180.0 && g.longitude_step > 0.0 &&
                       g.longitude_step <= 360.0;
    return corner && steps && h.rows > 0 && h.columns > 0;
}

/// The type of the nodes, if the file has the length that the header asks for.
std::optional<number_type> node_type(const gtx_header& h, std::int64_t file_bytes)
{
    for (const number_type type : {number_type::float32, number_type::float64}) {
        if (file_bytes == gtx_head_bytes + h.count() * bytes_of(type)) {
            return type;
        }
    }
    return std::nullopt;
}

void require_header(const file_head& head, const gtx_header& h)
{
    const geographic_grid& g = h.grid;
    if (!plausible(h)) {
        throw std::runtime_error(fmt::format("{}: unknown layout: not a .gtx header (latitude {}, longitude "
                                             "{}, steps {} and {}, {} rows, {} columns)",
                                             head.path, g.latitude, g.longitude, g.latitude_step,
                                             g.longitude_step, h.rows, h.columns));
    }
    if (h.last_latitude() > 90.0 + 0.1 * g.latitude_step) { // steps in the file are rounded
        throw std::runtime_error(fmt::format("{}: {} rows of {} degrees from latitude {} on end at {}, "
                                             "beyond the pole; the last must be at most 90",
                                             head.path, h.rows, g.latitude_step, g.latitude,
                                             h.last_latitude()));
    }
}

} // namespace

layout gtx_layout(const file_head& head)
{
    if (head.file_bytes < gtx_head_bytes) {
        throw std::runtime_error(
            fmt::format("{}: is shorter than a .gtx header: {} bytes of 40", head.path, head.file_bytes));
    }
    const gtx_header h = header_of(head, std::endian::big);
    const std::optional<number_type> type = node_type(h, head.file_bytes);
    const gtx_header swapped = header_of(head, std::endian::little);
    if (!(type && plausible(h)) && plausible(swapped) && node_type(swapped, head.file_bytes)) {
        throw std::runtime_error(
            fmt::format("{}: the .gtx header is byte-swapped (little-endian: {} rows, {} columns), must be "
                        "big-endian; the numbers alone are read with --type {} --endian little|big "
                        "--offset 40 --shape {},{}",
                        head.path, swapped.rows, swapped.columns,
                        to_string(*node_type(swapped, head.file_bytes)), swapped.rows, swapped.columns));
    }
    require_header(head, h);
    layout result{.format = file_format::gtx,
                  .type = type.value_or(number_type::float32),
                  .endian = std::endian::big,
                  .offset_bytes = gtx_head_bytes,
                  .count = h.count(),
                  .shape = {h.rows, h.columns},
                  .grid = h.grid,
                  .no_data = gtx_no_data};
    require_length(head, result);
    if (!type) {
        throw std::runtime_error(fmt::format("{}: has {} bytes more than its header says ({} rows, {} "
                                             "columns of float32; of float64 it would have {} bytes)",
                                             head.path, head.file_bytes - gtx_head_bytes - 4 * h.count(),
                                             h.rows, h.columns, gtx_head_bytes + 8 * h.count()));
    }
    return result;
}

} // namespace field_stats
