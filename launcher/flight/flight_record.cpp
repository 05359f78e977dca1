// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reads JSON lines strictly: a number that is no rank or no call is refused, and only the last line may be
// cut.
#include "flight/flight_record.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

namespace rankfold::launcher {
namespace {

constexpr int known_version = 1;

/// A whole number of the line, from `least` to `most`.
std::int64_t number_at(const nlohmann::json& line, const char* name, std::int64_t least, std::int64_t most)
{
    const nlohmann::json& value = line.at(name);
    const bool fits =
        value.is_number_integer() &&
        (!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t{INT64_MAX}) &&
        value.get<std::int64_t>() >= least && value.get<std::int64_t>() <= most;
    if (!fits) {
        throw launch_error(std::string(name) + " is " + value.dump() + ", must be from " +
                           std::to_string(least) + " to " + std::to_string(most));
    }
    return value.get<std::int64_t>();
}

flight_record header_of(const nlohmann::json& line)
{
    if (const int version = line.at("rankfold_flight"); version != known_version) {
        throw launch_error("format version " + std::to_string(version) + ", this tool reads version " +
                           std::to_string(known_version));
    }
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    const std::int64_t ranks = number_at(line, "ranks", 1, most);
    return {.communicator = line.at("communicator"),
            .rank = static_cast<int>(number_at(line, "rank", 0, ranks - 1)),
            .ranks = static_cast<int>(ranks),
            .host = line.at("host"),
            .pid = line.at("pid"),
            .calls = {},
            .cut = {}};
}

flight_call call_of(const nlohmann::json& line)
{
    return {.what = line.at("what"),
            .label = line.at("label"),
            .file = line.at("file"),
            .line = line.at("line"),
            .fingerprint = line.at("fingerprint"),
            .outcome = line.at("outcome")};
}

bool ended_well(const flight_call& call)
{
    return call.outcome == "done" || call.outcome == "queued";
}

std::optional<divergence::reason> what_is_wrong(const std::vector<flight_record>& records,
                                                std::uint64_t number)
{
    const flight_call* first = nullptr;
    bool absent = false;
    bool failed = false;
    for (const flight_record& record : records) {
        const auto found = record.calls.find(number);
        if (found == record.calls.end()) {
            absent = absent || record.knows(number);
            continue;
        }
        const flight_call& call = found->second;
        first = first == nullptr ? &call : first;
        if (call.fingerprint != first->fingerprint) {
            return divergence::reason::different_calls;
        }
        failed = failed || !ended_well(call);
    }
    return absent   ? std::optional(divergence::reason::no_such_call)
           : failed ? std::optional(divergence::reason::failed)
                    : std::nullopt;
}

} // namespace

bool flight_record::knows(std::uint64_t call) const
{
    return cut.empty() || (!calls.empty() && call <= calls.rbegin()->first);
}

flight_record read_flight_record(std::istream& in, const std::string& name)
{
    flight_record record;
    int number = 0;
    try {
        for (std::string line; std::getline(in, line);) {
            ++number;
            const bool whole = !in.eof() || nlohmann::json::accept(line);
            if (!whole && number == 1 && line.starts_with("{\"rankfold_flight\"")) {
                throw cut_in_head(name + ":1: cut short within its first line");
            }
            if (!whole && number > 1) {
                record.cut = name + ":" + std::to_string(number);
                break;
            }
            const auto parsed = nlohmann::json::parse(line);
            if (number == 1) {
                record = header_of(parsed);
            } else {
                record.calls.emplace(number_at(parsed, "call", 1, INT64_MAX), call_of(parsed));
            }
        }
    } catch (const cut_in_head&) {
        throw;
    } catch (const std::exception& problem) {
        throw launch_error(name + ":" + std::to_string(number) + ": not a flight record: " + problem.what());
    }
    if (number == 0) {
        throw launch_error(name + ": is empty or cannot be read, must be a flight record");
    }
    return record;
}

std::optional<divergence> first_divergence(const std::vector<flight_record>& records)
{
    std::uint64_t first = 1;
    std::uint64_t last = 0;
    for (const flight_record& record : records) {
        if (!record.calls.empty()) {
            first = std::max(first, record.calls.begin()->first);
            last = std::max(last, record.calls.rbegin()->first);
        }
    }
    for (std::uint64_t number = first; number <= last; ++number) {
        if (const auto reason = what_is_wrong(records, number)) {
            return divergence{number, *reason};
        }
    }
    return std::nullopt;
}

} // namespace rankfold::launcher
