// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "process/environment.hpp"

#include <algorithm>
#include <charconv>
#include <unistd.h>

namespace rankfold::launcher {

environment current_environment()
{
    environment variables;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const std::size_t equals = text.find('=');
        if (equals != text.npos)
            variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return variables;
}

std::optional<int> parse_whole_number(std::string_view text)
{
    constexpr int limit = 1 << 20;
    int value = 0;
    const bool digits =
        !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!digits || status != std::errc() || end != text.data() + text.size() || value >= limit)
        return std::nullopt;
    return value;
}

} // namespace rankfold::launcher
