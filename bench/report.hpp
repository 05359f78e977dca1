// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Results as a table on standard output and as JSON lines in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

namespace rankfold::bench {

/// Today, as 2026-01-31.
[[nodiscard]] std::string today();

/// What holds for every row of a run.
struct setting {
    std::string kind; ///< reduce, scan, exscan
    int ranks;
    std::string gpu;
    std::string transport;
    int repeats;
    std::string command;
};

/// One side against the library, at one size.
struct row {
    std::string type;
    std::string op;
    std::size_t bytes = 0; ///< of one piece
    bool graph = false;
    double own_us = 0;
    std::string rival;
    double rival_us = 0;
    double gigabytes_per_s = 0;       ///< read and written by the library
    std::optional<double> peak_share; ///< none where there is no memory traffic to speak of
    std::int64_t wrong = 0;           ///< bytes, on all ranks
};

/// Written by one rank; the others stay silent.
class report {
public:
    /// @param json file name, or empty  @throws std::runtime_error if it cannot be written
    report(const setting& about, const std::string& json, bool silent);

    void add(const row& result);
    void skip(const std::string& type, const std::string& reason) const;
    [[nodiscard]] bool all_right() const { return all_right_; }

private:
    setting about_;
    bool silent_;
    std::ofstream json_;
    bool all_right_ = true;
};

} // namespace rankfold::bench
