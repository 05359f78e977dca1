// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace field_stats {
namespace {

template <class T>
std::vector<std::size_t> places_of(std::span<const T> values, const std::optional<no_data_rule>& no_data)
{
    std::vector<std::size_t> places;
    for (std::size_t i = 0; no_data && i < values.size(); ++i) {
        if (no_data->holds(values[i])) {
            places.push_back(i);
        }
    }
    return places;
}

template <class T>
void put(std::span<T> values, const std::vector<std::size_t>& places, T value)
{
    for (const std::size_t place : places) {
        values[place] = value;
    }
}

std::int64_t count_on_all(const rankfold::communicator& comm, std::size_t count)
{
    const auto mine = static_cast<std::int64_t>(count);
    return rankfold::all_reduce<std::int64_t>(comm, rankfold::sum, std::span(&mine, 1), {},
                                              {.label = "count"});
}

template <class T>
number as_number(T value)
{
    return static_cast<prefix_type<T>>(value);
}

double as_double(const number& value)
{
    return std::visit([](auto v) { return static_cast<double>(v); }, value);
}

template <class T>
extreme as_extreme(const rankfold::located<T>& found)
{
    return {as_number(found.value), found.index};
}

/// The sum in 64-bit integers if it fits them, judged by the sum in double.
template <class T>
number sum_of(const rankfold::communicator& comm, std::span<const T> mine, std::span<const double> in_double)
{
    if constexpr (std::is_floating_point_v<T>) {
        return rankfold::all_reduce<double>(comm, rankfold::sum, mine, {}, {.label = "sum"});
    } else {
        constexpr double surely_fits = 9.2e18; // a little below 2^63
        const double rounded =
            rankfold::all_reduce<double>(comm, rankfold::sum, in_double, {}, {.label = "sum"});
        const auto exact =
            rankfold::all_reduce<std::int64_t>(comm, rankfold::sum, mine, {}, {.label = "sum"});
        return std::abs(rounded) < surely_fits ? number(exact) : number(rounded);
    }
}

/// Squares are taken of values scaled by a power of two so that the largest is about 1: none overflows, and
/// for values in the middle of the range nothing is rounded more than without.
double root_mean_square(const rankfold::communicator& comm, std::span<double> values, double largest,
                        double count)
{
    // Within 2^+-1000, as 2^1074 for the smallest denormal would overflow.
    const int exponent =
        largest > 0.0 && std::isfinite(largest) ? std::clamp(std::ilogb(largest), -1000, 1000) : 0;
    const double scale = std::ldexp(1.0, -exponent);
    std::ranges::transform(values, values.begin(), [&](double x) { return (x * scale) * (x * scale); });
    const auto sum =
        rankfold::all_reduce<double>(comm, rankfold::sum, values, {}, {.label = "sum of squares"});
    return std::ldexp(std::sqrt(sum / count), exponent);
}

} // namespace

template <class T>
statistics statistics_of(const rankfold::communicator& comm, std::span<T> mine,
                         const std::optional<no_data_rule>& no_data)
{
    using limits = std::numeric_limits<T>;
    constexpr T highest = limits::has_infinity ? limits::infinity() : limits::max();
    constexpr T lowest = limits::has_infinity ? -limits::infinity() : limits::lowest();

    const std::vector<std::size_t> hidden = places_of(std::span<const T>(mine), no_data);
    statistics result;
    result.no_data_count = count_on_all(comm, hidden.size());
    result.count = count_on_all(comm, mine.size()) - result.no_data_count;

    put(mine, hidden, highest);
    const auto minimum = rankfold::min_loc(comm, mine, {.label = "minimum"});
    put(mine, hidden, lowest);
    const auto maximum = rankfold::max_loc(comm, mine, {.label = "maximum"});
    put(mine, hidden, T{0});

    std::vector<double> in_double(mine.begin(), mine.end());
    result.sum = sum_of(comm, std::span<const T>(mine), std::span<const double>(in_double));
    if (result.count > 0) {
        result.minimum = as_extreme(minimum);
        result.maximum = as_extreme(maximum);
        const auto count = static_cast<double>(result.count);
        const double largest =
            std::max(std::abs(as_double(result.minimum->value)), std::abs(as_double(result.maximum->value)));
        result.mean = as_double(result.sum) / count;
        result.root_mean_square = root_mean_square(comm, in_double, largest, count);
    }
    return result;
}

template <class T>
std::vector<prefix_type<T>> prefix_sums(const rankfold::communicator& comm, std::span<const T> mine)
{
    std::vector<prefix_type<T>> sums(mine.size());
    rankfold::inclusive_scan(comm, rankfold::sum, mine, std::span(sums), {}, {.label = "prefix sum"});
    return sums;
}

template statistics statistics_of(const rankfold::communicator&, std::span<float>,
                                  const std::optional<no_data_rule>&);
template statistics statistics_of(const rankfold::communicator&, std::span<double>,
                                  const std::optional<no_data_rule>&);
template statistics statistics_of(const rankfold::communicator&, std::span<std::int32_t>,
                                  const std::optional<no_data_rule>&);
template statistics statistics_of(const rankfold::communicator&, std::span<std::int64_t>,
                                  const std::optional<no_data_rule>&);
template std::vector<double> prefix_sums(const rankfold::communicator&, std::span<const float>);
template std::vector<double> prefix_sums(const rankfold::communicator&, std::span<const double>);
template std::vector<std::int64_t> prefix_sums(const rankfold::communicator&, std::span<const std::int32_t>);
template std::vector<std::int64_t> prefix_sums(const rankfold::communicator&, std::span<const std::int64_t>);

} // namespace field_stats
