// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Time limits: numbers of seconds as durations of a clock, and as text.
#pragma once

#include <chrono>
#include <string>

namespace rankfold::detail {

/// What is longer, infinity too, is held as this, 31 years: it means "never", and fits every clock.
inline constexpr double longest_s = 1e9;

[[nodiscard]] std::chrono::steady_clock::duration duration_of(double seconds) noexcept;

/// "600", "0.5", "-3", "inf".
[[nodiscard]] std::string number_text(double number);
/// "600 s", "0.5 s": as few digits as tell the number, a point in every locale.
[[nodiscard]] std::string seconds_text(double seconds);
/// "1.6 s", of a time that was measured.
[[nodiscard]] std::string seconds_text(std::chrono::steady_clock::duration time);

} // namespace rankfold::detail
