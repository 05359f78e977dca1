// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/seconds.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace rankfold::detail {
namespace {

using double_seconds = std::chrono::duration<double>;

/// std::to_chars, for the numbers of this file.
template <class... Format>
std::string text_of(double number, Format... format)
{
    std::array<char, 40> text{};
    const auto [end, status] = std::to_chars(text.data(), text.data() + text.size(), number, format...);
    return status == std::errc() ? std::string(text.data(), end) : "?";
}

} // namespace

std::chrono::steady_clock::duration duration_of(double seconds) noexcept
{
    // In this order what is no number becomes the longest.
    const double held = seconds < longest_s ? std::max(seconds, 0.0) : longest_s;
    return std::chrono::duration_cast<std::chrono::steady_clock::duration>(double_seconds(held));
}

std::string number_text(double number)
{
    const double size = std::abs(number);
    return size >= 1e-6 && size < 1e10 ? text_of(number, std::chars_format::fixed) : text_of(number);
}

std::string seconds_text(double seconds)
{
    return number_text(seconds) + " s";
}

std::string seconds_text(std::chrono::steady_clock::duration time)
{
    return text_of(double_seconds(time).count(), std::chars_format::fixed, 1) + " s";
}

} // namespace rankfold::detail
