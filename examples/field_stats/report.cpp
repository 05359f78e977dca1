// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace field_stats {
namespace {

using json = nlohmann::ordered_json;

std::string text_of(const number& value)
{
    if (const double* real = std::get_if<double>(&value); real != nullptr && std::isnan(*real)) {
        return "nan"; // the sign of one means nothing
    }
    return std::visit([](auto v) { return fmt::format("{}", v); }, value);
}

json json_of(const number& value)
{
    if (const double* real = std::get_if<double>(&value); real != nullptr && !std::isfinite(*real)) {
        return std::isnan(*real) ? "NaN" : *real > 0.0 ? "Infinity" : "-Infinity";
    }
    return std::visit([](auto v) { return json(v); }, value);
}

std::string place_text(const layout& where, std::int64_t index)
{
    if (where.grid) {
        const coordinates at = coordinates_of(where, index);
        return fmt::format("{} {}, {} {}", std::abs(at.latitude), at.latitude < 0 ? 'S' : 'N',
                           std::abs(at.longitude), at.longitude < 0 ? 'W' : 'E');
    }
    if (where.shape.size() > 1) {
        return fmt::format("[{}]", fmt::join(indices_of(where, index), ", "));
    }
    return "";
}

std::string extreme_line(const layout& where, std::string_view name, const std::optional<extreme>& found)
{
    if (!found) {
        return fmt::format("  {:<8} none\n", name);
    }
    const std::string place = place_text(where, found->index);
    return fmt::format("  {:<8} {}{} at index {}{}\n", name, text_of(found->value), where.grid ? " m" : "",
                       found->index, place.empty() ? "" : " (" + place + ")");
}

json extreme_json(const layout& where, const std::optional<extreme>& found)
{
    if (!found) {
        return nullptr;
    }
    json result{{"value", json_of(found->value)}, {"index", found->index}};
    if (where.shape.size() > 1) {
        result["indices"] = indices_of(where, found->index);
    }
    if (where.grid) {
        const coordinates at = coordinates_of(where, found->index);
        result["latitude"] = at.latitude;
        result["longitude"] = at.longitude;
    }
    return result;
}

} // namespace

std::string as_text(const report& r)
{
    std::string text = fmt::format("{}: {}, {} of {}\n", r.path, to_string(r.where.format),
                                   fmt::join(r.where.shape, " x "), to_string(r.where.type));
    text += fmt::format("  {:<8} {} ({} backend, transport {})\n", "ranks", r.ranks, r.backend, r.transport);
    text += fmt::format("  {:<8} {}\n", "count", r.values.count);
    if (r.where.no_data) {
        text += fmt::format("  {:<8} {} ({}, or beyond {}: left out)\n", "no data", r.values.no_data_count,
                            r.where.no_data->value, r.where.no_data->beyond);
    }
    text += fmt::format("  {:<8} {}\n", "sum", text_of(r.values.sum));
    if (r.values.count > 0) {
        text += fmt::format("  {:<8} {}\n", "mean", text_of(r.values.mean));
        text += fmt::format("  {:<8} {}\n", "rms", text_of(r.values.root_mean_square));
    }
    text += extreme_line(r.where, "minimum", r.values.minimum);
    text += extreme_line(r.where, "maximum", r.values.maximum);
    if (!r.prefix_sum_path.empty()) {
        text += fmt::format("  prefix sums written to {}\n", r.prefix_sum_path);
    }
    return text;
}

std::string as_json(const report& r)
{
    json result{{"file", r.path},
                {"format", to_string(r.where.format)},
                {"type", to_string(r.where.type)},
                {"shape", r.where.shape},
                {"ranks", r.ranks},
                {"backend", r.backend},
                {"transport", r.transport},
                {"count", r.values.count},
                {"no_data_count", r.values.no_data_count},
                {"sum", json_of(r.values.sum)},
                {"mean", r.values.count > 0 ? json_of(r.values.mean) : json(nullptr)},
                {"rms", r.values.count > 0 ? json_of(r.values.root_mean_square) : json(nullptr)},
                {"min", extreme_json(r.where, r.values.minimum)},
                {"max", extreme_json(r.where, r.values.maximum)}};
    if (!r.prefix_sum_path.empty()) {
        result["prefix_sum"] = r.prefix_sum_path;
    }
    return result.dump(2, ' ', false, json::error_handler_t::replace) + "\n"; // paths need not be UTF-8
}

} // namespace field_stats
