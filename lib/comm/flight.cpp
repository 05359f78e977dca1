// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// When the flight record is written, and where to.
#include "parts.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace rankfold::detail {

void communicator_state::leave(const call_description& call, bool by_exception) noexcept
{
    parts_->progress->leave(call.number);
    if (!by_exception) {
        parts_->flight.leave(call.number, on_gpu() ? call_outcome::queued : call_outcome::done);
    } else if (parts_->flight.is_running(call.number)) { // else it was told when it was raised
        record_failure(call, errc::backend, "an exception ended " + to_text(call));
    }
}

void communicator_state::record_failure(const call_description& call, errc code,
                                        const std::string& reason) noexcept
{
    communicator_parts& parts = *parts_;
    parts.flight.fail(call.number, code);
    if (parts.asked.flight_dir.empty()) {
        return;
    }
    const std::string path = parts.asked.flight_dir + "/rankfold-" + unique_name(parts.facts) + "-rank" +
                             std::to_string(rank) + ".jsonl";
    try {
        write_flight_record(path, reason);
        parts.log.write(log_level::info, "flight record: " + path);
    } catch (const error& problem) {
        parts.log.write(log_level::warn, problem.text());
    }
}

void communicator_state::write_flight_record(const std::string& path, const std::string& reason) const
{
    const rank_facts& own = parts_->facts[static_cast<std::size_t>(rank)];
    const std::lock_guard lock(parts_->flight_file);
    errno = 0;
    std::ofstream file(path);
    parts_->flight.write(file, {.communicator = unique_name(parts_->facts),
                                .rank = rank,
                                .ranks = size,
                                .host = own.host.data(),
                                .pid = own.pid,
                                .reason = reason});
    if (!file) {
        throw error(errc::backend, error_origin::system, errno, rank,
                    "the flight record cannot be written to '" + path + "': " + std::strerror(errno));
    }
}

} // namespace rankfold::detail
