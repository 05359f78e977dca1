// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "setup/variables.hpp"

#include "runtime/mpi_check.hpp"

#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

namespace rankfold::detail {
namespace {

constexpr std::string_view prefix = "RANKFOLD_";

/// Read by CMake, by the scripts of the repository, or by tests.
bool is_read_elsewhere(std::string_view name)
{
    constexpr std::array<std::string_view, 5> names{"RANKFOLD_ROOT", "RANKFOLD_DIR", "RANKFOLD_MPI",
                                                    "RANKFOLD_FULL", "RANKFOLD_UPDATE_GOLDEN"};
    return std::find(names.begin(), names.end(), name) != names.end() || name.starts_with("RANKFOLD_TEST_") ||
           name.starts_with("RANKFOLD_SIMT_");
}

/// How many characters must be put in, taken out or changed (Levenshtein).
std::size_t distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row[b.size()];
}

std::string_view closest(std::string_view name)
{
    return *std::min_element(
        library_variables.begin(), library_variables.end(),
        [&](std::string_view a, std::string_view b) { return distance(name, a) < distance(name, b); });
}

} // namespace

std::optional<std::string> environment(variable which)
{
    constexpr std::string_view blanks = " \t\n\r\f\v";
    const char* value = std::getenv(which.name());
    if (value == nullptr) {
        return std::nullopt;
    }
    const std::string text = value;
    const bool ours = std::string_view(which.name()).starts_with(prefix);
    if (ours && text.empty()) {
        throw_usage(std::string(which.name()) + " is '', must have a value, or not be set at all");
    }
    if (ours && (blanks.find(text.front()) != blanks.npos || blanks.find(text.back()) != blanks.npos)) {
        throw_usage(std::string(which.name()) + " is '" + text +
                    "', must have no blanks before or behind its value");
    }
    return text;
}

std::string advice_on_names(const char* const* settings)
{
    std::string advice;
    for (; settings != nullptr && *settings != nullptr; ++settings) {
        const std::string_view setting = *settings;
        const std::string_view name = setting.substr(0, setting.find('='));
        const bool known =
            std::find(library_variables.begin(), library_variables.end(), name) != library_variables.end();
        if (name.starts_with(prefix) && !known && !is_read_elsewhere(name)) {
            advice += (advice.empty() ? "" : "; ") + std::string(name) +
                      " is set, but Rankfold reads no variable of that name; the closest is " +
                      std::string(closest(name));
        }
    }
    return advice;
}

} // namespace rankfold::detail
