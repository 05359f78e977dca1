// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The flight records of ranks, as communicators write them, and where they diverge.
#pragma once

#include "process/launch_error.hpp"

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
    std::string cut; ///< file:line where the file ends within a line; empty if it is whole

    /// False for calls that a cut record may have held.
    bool knows(std::uint64_t call) const;
};

/// The file ends within its first line, so that it does not tell whose record it is.
class cut_in_head : public launch_error {
public:
    using launch_error::launch_error;
};

/// A file that ends within a line, as its process was killed while it wrote, gives its whole lines.
/// @param name  of the file, for errors
/// @throws cut_in_head, or launch_error naming file and line if it is no flight record
flight_record read_flight_record(std::istream& in, const std::string& name);

struct divergence {
    enum class reason { different_calls, no_such_call, failed };
    std::uint64_t call;
    reason why;
};

/// The first call, among those that every record is long enough to hold, that ranks made differently, that
/// some never made, or that failed. What a cut record has lost is not taken for a call that was never made.
/// @param records  of one communicator, at least one
std::optional<divergence> first_divergence(const std::vector<flight_record>& records);

/// The answer for a reader: what was cut, the call, and a row for each rank of the communicator.
std::string show_divergence(const std::vector<flight_record>& records,
                            const std::optional<divergence>& found);

} // namespace rankfold::launcher
