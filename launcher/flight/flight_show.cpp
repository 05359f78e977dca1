// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The answer as text: a title and a table.
#include "flight/flight_record.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace rankfold::launcher {
namespace {

std::string title(const divergence& found)
{
    switch (found.why) {
    case divergence::reason::different_calls:
        return fmt::format("call {}: ranks made different calls", found.call);
    case divergence::reason::no_such_call:
        return fmt::format("call {}: not made by all ranks", found.call);
    case divergence::reason::failed:
        return fmt::format("call {}: the same on all ranks, and failed", found.call);
    }
    return {};
}

std::string row(int rank, std::string_view outcome, std::string_view label, std::string_view call)
{
    return fmt::format("  {:>6}  {:<12}  {:<20}  {}\n", rank, outcome, label, call);
}

std::string place_of(const flight_call& call)
{
    return fmt::format("{} at {}:{}", call.what, call.file, call.line);
}

std::string row_of(const flight_record& record, std::uint64_t number)
{
    if (const auto found = record.calls.find(number); found != record.calls.end()) {
        const flight_call& call = found->second;
        return row(record.rank, call.outcome, call.label, place_of(call));
    }
    if (!record.knows(number)) {
        return row(record.rank, "?", "", "its record is cut before this call");
    }
    if (record.calls.empty()) {
        return row(record.rank, "-", "", "made no call");
    }
    const auto& [last_number, last] = *record.calls.rbegin();
    return row(record.rank, "-", last.label,
               fmt::format("made no call after {}, {}", last_number, place_of(last)));
}

} // namespace

std::string show_divergence(const std::vector<flight_record>& records, const std::optional<divergence>& found)
{
    std::string text = fmt::format("communicator {}: {} ranks, {} records\n", records.front().communicator,
                                   records.front().ranks, records.size());
    for (const flight_record& record : records) {
        if (!record.cut.empty()) {
            text +=
                fmt::format("{}: cut short, its whole lines are used: calls up to {} of rank {}\n",
                            record.cut, record.calls.empty() ? 0 : record.calls.rbegin()->first, record.rank);
        }
    }
    if (!found) {
        return text + "no divergence: all recorded calls are the same on all recorded ranks\n";
    }
    text += title(*found) + "\n";
    text += fmt::format("  {:>6}  {:<12}  {:<20}  {}\n", "rank", "outcome", "label", "call");
    for (int rank = 0; rank < records.front().ranks; ++rank) {
        const auto record = std::find_if(records.begin(), records.end(),
                                         [&](const flight_record& r) { return r.rank == rank; });
        text += record == records.end()
                    ? row(rank, "-", "", "no record was given: stopped, gone or elsewhere")
                    : row_of(*record, found->call);
    }
    return text;
}

} // namespace rankfold::launcher
