// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace rankfold::launcher {

/// Environment variables as a value, so that what reads them can be tested.
using environment = std::map<std::string, std::string, std::less<>>;

environment current_environment();

inline const std::string* find(const environment& variables, std::string_view name)
{
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : &found->second;
}

/// Digits only: no sign, space, base or empty text; below 2^20.
std::optional<int> parse_whole_number(std::string_view text);

} // namespace rankfold::launcher
