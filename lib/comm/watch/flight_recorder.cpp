// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "watch/flight_recorder.hpp"

#include "runtime/fixed_text.hpp"
#include "watch/json_line.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <ostream>

namespace rankfold::detail {
namespace {

std::int64_t now_us()
{
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(since).count();
}

std::string text_of(const flight_entry& entry)
{
    switch (entry.outcome) {
    case call_outcome::running:
        return "not finished";
    case call_outcome::queued:
        return "queued";
    case call_outcome::done:
        return "done";
    case call_outcome::failed:
        return std::string(to_string(entry.code));
    }
    return "?";
}

/// The bytes that decide whether two ranks made the same call, in hexadecimal.
std::string hexadecimal(fingerprint head)
{
    head.error = 0;
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const auto byte : std::bit_cast<std::array<std::uint8_t, sizeof head>>(head)) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

std::string line_of(const flight_entry& entry)
{
    const call_description& call = entry.call;
    json_line line;
    line.add("call", static_cast<std::int64_t>(call.number));
    line.add("what", what_of(call));
    line.add("label", call.label.data());
    line.add("file", call.file.data());
    line.add("line", std::int64_t{call.line});
    line.add("fingerprint", hexadecimal(call.head));
    line.add("problem", call.problem.data());
    line.add("begin_us", entry.begin_us);
    line.add("end_us", entry.end_us > 0 ? std::optional(entry.end_us) : std::nullopt);
    line.add("outcome", text_of(entry));
    return line.text();
}

} // namespace

void flight_recorder::begin(const call_description& call, CUstream_st* stream) noexcept
{
    const std::lock_guard lock(mutex_);
    entry_of(call.number) = {call, now_us(), 0, stream, call_outcome::running, errc::success};
}

bool flight_recorder::is_running(std::uint64_t number) const noexcept
{
    const std::lock_guard lock(mutex_);
    const flight_entry& entry = ring_[number % kept];
    return entry.call.number == number && entry.outcome == call_outcome::running;
}

void flight_recorder::leave(std::uint64_t number, call_outcome outcome) noexcept
{
    const std::lock_guard lock(mutex_);
    flight_entry& entry = entry_of(number);
    if (entry.outcome == call_outcome::running) {
        entry.outcome = outcome;
        entry.end_us = now_us();
    }
}

void flight_recorder::fail(std::uint64_t number, errc code) noexcept
{
    const std::lock_guard lock(mutex_);
    flight_entry& entry = entry_of(number);
    if (entry.call.number == number) { // else it was overwritten by later ones
        entry.outcome = call_outcome::failed;
        entry.code = code;
        entry.end_us = now_us();
    }
}

void flight_recorder::complete(CUstream_st* stream) noexcept
{
    const std::lock_guard lock(mutex_);
    for (flight_entry& entry : ring_) {
        if (entry.outcome == call_outcome::queued && entry.stream == stream) {
            entry.outcome = call_outcome::done;
            entry.end_us = now_us();
        }
    }
}

call_description flight_recorder::call(std::uint64_t number) const
{
    const std::lock_guard lock(mutex_);
    const call_description& known = ring_[number % kept].call;
    if (static_cast<std::uint32_t>(known.number) == static_cast<std::uint32_t>(number)) {
        return known;
    }
    call_description forgotten;
    forgotten.number = number;
    put(forgotten.label, "replayed, recorded more than 64 calls ago");
    return forgotten;
}

void flight_recorder::write(std::ostream& out, const flight_header& header) const
{
    json_line first;
    first.add("rankfold_flight", std::int64_t{1}); // the version of this format
    first.add("communicator", header.communicator);
    first.add("rank", std::int64_t{header.rank});
    first.add("ranks", std::int64_t{header.ranks});
    first.add("host", header.host);
    first.add("pid", std::int64_t{header.pid});
    first.add("reason", header.reason);
    out << first.text();

    const std::lock_guard lock(mutex_);
    const auto newest = std::max_element(ring_.begin(), ring_.end(), [](const auto& a, const auto& b) {
        return a.call.number < b.call.number;
    });
    for (std::size_t i = 1; i <= kept; ++i) {
        const auto at = static_cast<std::size_t>(newest - ring_.begin());
        const flight_entry& entry = ring_[(at + i) % kept];
        if (entry.call.number > 0) {
            out << line_of(entry);
        }
    }
    out.flush();
}

} // namespace rankfold::detail
