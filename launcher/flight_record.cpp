// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "flight_record.hpp"

#include "launch_error.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace rankfold::launcher {
namespace {

constexpr int known_version = 1;

flight_record header_of(const nlohmann::json& line)
{
    if (const int version = line.at("rankfold_flight"); version != known_version) {
        throw launch_error("format version " + std::to_string(version) + ", this tool reads version " +
                           std::to_string(known_version));
    }
    return {.communicator = line.at("communicator"),
            .rank = line.at("rank"),
            .ranks = line.at("ranks"),
            .host = line.at("host"),
            .pid = line.at("pid"),
            .calls = {}};
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
            absent = true;
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

flight_record read_flight_record(std::istream& in, const std::string& name)
{
    flight_record record;
    int number = 0;
    try {
        for (std::string line; std::getline(in, line);) {
            ++number;
            const auto parsed = nlohmann::json::parse(line);
            if (number == 1) {
                record = header_of(parsed);
            } else {
                record.calls.emplace(parsed.at("call").get<std::uint64_t>(), call_of(parsed));
            }
        }
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
