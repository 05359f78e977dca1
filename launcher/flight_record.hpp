// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The flight records of ranks, as communicators write them, and where they diverge.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankfold::launcher {

struct flight_call {
    std::string what;
    std::string label;
    std::string file;
    int line = 0;
    std::string fingerprint; ///< equal where two ranks made the same call
    std::string outcome;
};

struct flight_record {
    std::string communicator;
    int rank = 0;
    int ranks = 0;
    std::string host;
    int pid = 0;
    std::map<std::uint64_t, flight_call> calls; ///< by number
};

/// @param name  of the file, for errors
/// @throws launch_error naming file and line if it is no flight record
flight_record read_flight_record(std::istream& in, const std::string& name);

struct divergence {
    enum class reason { different_calls, no_such_call, failed };
    std::uint64_t call;
    reason why;
};

/// The first call, among those that every record is long enough to hold, that ranks made differently, that
/// some never made, or that failed. @param records  of one communicator, at least one
std::optional<divergence> first_divergence(const std::vector<flight_record>& records);

/// The answer for a reader: the call, and a row for each rank of the communicator.
std::string show_divergence(const std::vector<flight_record>& records,
                            const std::optional<divergence>& found);

} // namespace rankfold::launcher
