// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the command lines of both tools have in common: a usage line, help and errors in the same form.
#pragma once

#include "process/launch_error.hpp"
#include "process/standard_streams.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

namespace rankfold::launcher {

/// The line that --help begins with.
inline void set_usage(CLI::App& app, const std::string& usage)
{
    struct formatter : CLI::Formatter {
        explicit formatter(std::string line) : line_(std::move(line)) {}
        std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override
        {
            return "Usage: " + line_ + "\n";
        }
        std::string line_;
    };
    app.formatter(std::make_shared<formatter>(usage));
}

/// Prints the help or version that was asked for, or what is wrong with the command line.
/// @return the exit status
inline int report(const CLI::App& app, const CLI::ParseError& error)
{
    std::ostringstream out;
    std::ostringstream err;
    const bool asked_for = app.exit(error, out, err) == 0;
    print(out.str());
    std::cerr << (asked_for ? "" : app.get_name() + ": " + err.str());
    return asked_for ? 0 : static_cast<int>(bad_input);
}

} // namespace rankfold::launcher
