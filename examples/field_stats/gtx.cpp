// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// NOAA VDatum .gtx grids of vertical shifts: 40 bytes of big-endian header (latitude and longitude of the
// lower left corner, latitude and longitude steps as doubles; rows and columns as 32-bit integers), then rows
// from south to north of big-endian floats. -88.8888 stands for "not known".
#include "bytes.hpp"
#include "layout.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace field_stats {
namespace {

constexpr std::int64_t gtx_head_bytes = 40;
constexpr float gtx_no_data = -88.8888F;

bool plausible(const geographic_grid& g, std::int32_t rows, std::int32_t columns)
{
    const bool corner = std::abs(g.latitude) <= 90.0 && std::abs(g.longitude) <= 360.0; // false for NaN
    const bool steps = g.latitude_step > 0.0 && g.latitude_step <= 180.0 && g.longitude_step > 0.0 &&
                       g.longitude_step <= 360.0;
    return corner && steps && rows > 0 && columns > 0;
}

} // namespace

layout gtx_layout(const file_head& head)
{
    if (head.file_bytes < gtx_head_bytes) {
        throw std::runtime_error(
            fmt::format("{}: is shorter than a .gtx header: {} bytes of 40", head.path, head.file_bytes));
    }
    const auto real = [&](int at) { return load<double>(head.bytes.data() + at, std::endian::big); };
    const geographic_grid grid{real(0), real(8), real(16), real(24)};
    const auto rows = load<std::int32_t>(head.bytes.data() + 32, std::endian::big);
    const auto columns = load<std::int32_t>(head.bytes.data() + 36, std::endian::big);
    if (!plausible(grid, rows, columns)) {
        throw std::runtime_error(fmt::format("{}: unknown layout: not a .gtx header (latitude {}, longitude "
                                             "{}, steps {} and {}, {} rows, {} columns)",
                                             head.path, grid.latitude, grid.longitude, grid.latitude_step,
                                             grid.longitude_step, rows, columns));
    }
    layout result{.format = file_format::gtx,
                  .type = number_type::float32,
                  .endian = std::endian::big,
                  .offset_bytes = gtx_head_bytes,
                  .count = std::int64_t{rows} * columns,
                  .shape = {rows, columns},
                  .grid = grid,
                  .no_data = gtx_no_data};
    require_length(head, result);
    if (const std::int64_t more = head.file_bytes - gtx_head_bytes - result.count * 4; more > 0) {
        throw std::runtime_error(
            fmt::format("{}: has {} bytes more than its header says ({} rows, {} columns)", head.path, more,
                        rows, columns));
    }
    return result;
}

} // namespace field_stats
