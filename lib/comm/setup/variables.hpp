// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The names of Rankfold's environment variables. One that is not in this table cannot be read, and one that
// a user has set and nobody reads is told of. README.md lists those for users.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace rankfold::detail {

inline constexpr std::array<std::string_view, 11> library_variables{
    "RANKFOLD_BACKEND",   "RANKFOLD_DEVICE",     "RANKFOLD_TRANSPORT",     "RANKFOLD_WARN_S",
    "RANKFOLD_TIMEOUT_S", "RANKFOLD_COEXIST",    "RANKFOLD_OVERLAP",       "RANKFOLD_FLIGHT_DIR",
    "RANKFOLD_DEBUG",     "RANKFOLD_DEBUG_FILE", "RANKFOLD_FAKE_NODE_SIZE"};

/// The name of a variable that may be read; another does not compile.
class variable {
public:
    consteval variable(const char* name) : name_(name) // NOLINT(google-explicit-constructor): a checked name
    {
        const bool foreign = std::string_view(name) == "OMP_NUM_THREADS";
        if (!foreign &&
            std::find(library_variables.begin(), library_variables.end(), name) == library_variables.end()) {
            throw "add the name to library_variables";
        }
    }
    [[nodiscard]] constexpr const char* name() const { return name_; }

private:
    const char* name_;
};

/// The value, if the variable is set. @throws error (usage) if a variable of Rankfold's is empty, or has
/// blanks before or behind its value
[[nodiscard]] std::optional<std::string> environment(variable which);

/// One line about set variables that begin with RANKFOLD_ and that nothing of Rankfold reads, each with the
/// closest name that something does; empty if there are none.
/// @param settings  as `environ`: "NAME=value", ended by a null pointer
[[nodiscard]] std::string advice_on_names(const char* const* settings);

} // namespace rankfold::detail
