// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "farewell.hpp"

#include "check.hpp"
#include "parts.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace rankfold::detail {
namespace {

/// How long a failing rank waits for the descriptions of the others.
double farewell_seconds(double timeout_s)
{
    return std::min(timeout_s, 10.0);
}

/// What has come from others, without waiting.
void take_in(communicator_parts& parts)
{
    for (int found = 1; found != 0;) {
        MPI_Status status;
        RANKFOLD_MPI(MPI_Iprobe(MPI_ANY_SOURCE, tag_description, parts.comm, &found, &status));
        if (found != 0) {
            auto& heard = parts.heard_of.emplace_back();
            heard.rank = status.MPI_SOURCE;
            RANKFOLD_MPI(MPI_Recv(&heard.description, sizeof heard.description, MPI_BYTE, heard.rank,
                                  tag_description, parts.comm, MPI_STATUS_IGNORE));
        }
    }
}

} // namespace

bool others_have_failed(communicator_parts& parts, std::uint64_t number)
{
    take_in(parts);
    return std::any_of(parts.heard_of.begin(), parts.heard_of.end(),
                       [&](const auto& heard) { return heard.description.number == number; });
}

descriptions exchange_descriptions(communicator_parts& parts, int rank, int size,
                                   const call_description& mine)
{
    auto& farewell = parts.farewells.emplace_back();
    farewell.description = mine;
    farewell.requests.resize(static_cast<std::size_t>(size), MPI_REQUEST_NULL);
    descriptions all(static_cast<std::size_t>(size));
    all[static_cast<std::size_t>(rank)] = mine;
    for (int r = 0; r < size; ++r) {
        if (r != rank) {
            RANKFOLD_MPI(MPI_Isend(&farewell.description, sizeof(call_description), MPI_BYTE, r,
                                   tag_description, parts.comm,
                                   &farewell.requests[static_cast<std::size_t>(r)]));
        }
    }
    const auto deadline = std::chrono::steady_clock::now() +
                          std::chrono::duration<double>(farewell_seconds(parts.asked.timeout_s));
    for (int missing = size - 1; missing > 0 && std::chrono::steady_clock::now() < deadline;) {
        take_in(parts);
        for (const communicator_parts::heard& theirs : std::exchange(parts.heard_of, {})) {
            auto& place = all[static_cast<std::size_t>(theirs.rank)];
            if (theirs.description.number == mine.number &&
                !place) { // else left over from an earlier failure
                place = theirs.description;
                --missing;
            }
        }
        std::this_thread::yield();
    }
    return all;
}

} // namespace rankfold::detail
