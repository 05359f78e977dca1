// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "farewell.hpp"

#include "check.hpp"
#include "parts.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace rankfold::detail {
namespace {

/// How long a failing rank waits for the descriptions of the others.
double farewell_seconds(double timeout_s)
{
    return std::min(timeout_s, 10.0);
}

} // namespace

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
        int found = 0;
        MPI_Status status;
        RANKFOLD_MPI(MPI_Iprobe(MPI_ANY_SOURCE, tag_description, parts.comm, &found, &status));
        if (!found) {
            std::this_thread::yield();
            continue;
        }
        call_description theirs;
        RANKFOLD_MPI(MPI_Recv(&theirs, sizeof theirs, MPI_BYTE, status.MPI_SOURCE, tag_description,
                              parts.comm, MPI_STATUS_IGNORE));
        auto& place = all[static_cast<std::size_t>(status.MPI_SOURCE)];
        if (theirs.number == mine.number && !place) { // others are left over from an earlier failure
            place = theirs;
            --missing;
        }
    }
    return all;
}

} // namespace rankfold::detail
