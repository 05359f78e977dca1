// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "watch/call_ledger.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

namespace rankfold::detail {

call_ledger::call_ledger(progress_board& progress, const logger& log, flight_header of, std::string directory)
    : progress_(progress), log_(log), of_(std::move(of)), directory_(std::move(directory))
{
}

call_description call_ledger::begin(const call_facts& facts, const execution& where,
                                    const std::string& problem, errc code)
{
    call_description call = describe_call(++last_, facts, where, problem);
    call.head.error = static_cast<std::uint8_t>(problem.empty() ? errc::success : code);
    progress_.enter(call.number);
    flight_.begin(call, where.stream.value_or(nullptr));
    if (log_.enabled(log_level::trace)) {
        log_.write(log_level::trace, "call " + std::to_string(call.number) + ": " + to_text(call));
    }
    return call;
}

void call_ledger::leave(std::uint64_t number, call_outcome outcome) noexcept
{
    progress_.leave(number);
    flight_.leave(number, outcome);
}

void call_ledger::fail(std::uint64_t number, errc code, const std::string& reason) noexcept
{
    flight_.fail(number, code);
    if (directory_.empty()) {
        return;
    }
    const std::string path =
        directory_ + "/rankfold-" + of_.communicator + "-rank" + std::to_string(of_.rank) + ".jsonl";
    try {
        write(path, reason);
        log_.write(log_level::info, "flight record: " + path);
    } catch (const error& problem) {
        log_.write(log_level::warn, problem.text());
    }
}

std::vector<int> call_ledger::lost_of(const std::vector<int>& ranks, std::uint64_t call) const
{
    std::vector<int> lost;
    std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(lost),
                 [&](int r) { return progress_.is_lost(r, call); });
    return lost;
}

void call_ledger::write(const std::string& path, const std::string& reason) const
{
    flight_header header = of_;
    header.reason = reason;
    const std::lock_guard lock(file_);
    errno = 0;
    std::ofstream file(path);
    flight_.write(file, header);
    if (!file) {
        throw error(errc::backend, error_origin::system, errno, of_.rank,
                    "the flight record cannot be written to '" + path + "': " + std::strerror(errno));
    }
}

} // namespace rankfold::detail
