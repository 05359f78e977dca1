// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Raw numbers: the user says type, byte order, offset and shape.
#include "layout.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace field_stats {
namespace {

/// The count that the rest of the file holds; it must be whole numbers.
std::int64_t count_in_file(const file_head& head, number_type type, std::int64_t offset_bytes)
{
    const std::int64_t rest = head.file_bytes - offset_bytes;
    if (rest < 0) {
        throw std::runtime_error(
            fmt::format("{}: is shorter than it should be: --offset {} lies beyond its {} bytes", head.path,
                        offset_bytes, head.file_bytes));
    }
    if (rest % bytes_of(type) != 0) {
        throw std::runtime_error(
            fmt::format("{}: {} bytes from byte {} on are not a whole number of {}; say --count or --shape",
                        head.path, rest, offset_bytes, to_string(type)));
    }
    return rest / bytes_of(type);
}

} // namespace

layout raw_layout(const file_head& head, const raw_description& raw)
{
    if (!raw.type) {
        throw std::runtime_error(
            fmt::format("{}: a raw file needs --type float32|float64|int32|int64", head.path));
    }
    layout result{.format = file_format::raw,
                  .type = *raw.type,
                  .endian = raw.endian.value_or(std::endian::little),
                  .offset_bytes = raw.offset_bytes.value_or(0),
                  .shape = raw.shape};
    if (result.offset_bytes < 0) {
        throw std::runtime_error(
            fmt::format("{}: --offset is {}, must be >= 0", head.path, result.offset_bytes));
    }
    if (raw.count && !raw.shape.empty()) {
        throw std::runtime_error(fmt::format("{}: --count and --shape exclude each other", head.path));
    }
    if (result.shape.empty()) {
        result.shape = {raw.count ? *raw.count : count_in_file(head, result.type, result.offset_bytes)};
    }
    result.count = count_of(result.shape, result.type, head.path);
    require_length(head, result);
    return result;
}

} // namespace field_stats
