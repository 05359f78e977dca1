// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "watch/failure_notice.hpp"

#include "runtime/mpi_check.hpp"
#include "runtime/seconds.hpp"
#include "runtime/tags.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

namespace rankfold::detail {

/// What has come from others, without waiting.
void failure_notices::receive()
{
    for (int found = 1; found != 0;) {
        MPI_Status status;
        RANKFOLD_MPI(MPI_Iprobe(MPI_ANY_SOURCE, tag_notice, comm_, &found, &status));
        if (found != 0) {
            auto& notice = received_.emplace_back();
            notice.rank = status.MPI_SOURCE;
            RANKFOLD_MPI(MPI_Recv(&notice.description, sizeof notice.description, MPI_BYTE, notice.rank,
                                  tag_notice, comm_, MPI_STATUS_IGNORE));
        }
    }
}

bool failure_notices::others_have_failed(std::uint64_t number)
{
    receive();
    return std::any_of(received_.begin(), received_.end(),
                       [&](const auto& notice) { return notice.description.number == number; });
}

descriptions failure_notices::exchange(const call_description& mine, double seconds)
{
    auto& notice = sent_.emplace_back();
    notice.description = mine;
    notice.requests.resize(static_cast<std::size_t>(size_), MPI_REQUEST_NULL);
    descriptions all(static_cast<std::size_t>(size_));
    all[static_cast<std::size_t>(rank_)] = mine;
    for (int r = 0; r < size_; ++r) {
        if (r != rank_) {
            RANKFOLD_MPI(MPI_Isend(&notice.description, sizeof(call_description), MPI_BYTE, r, tag_notice,
                                   comm_, &notice.requests[static_cast<std::size_t>(r)]));
        }
    }
    const auto deadline = std::chrono::steady_clock::now() + duration_of(seconds);
    for (int missing = size_ - 1; missing > 0 && std::chrono::steady_clock::now() < deadline;) {
        receive();
        for (const received_notice& theirs : std::exchange(received_, {})) {
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

void failure_notices::flush()
{
    for (sent_notice& notice : sent_) {
        MPI_Waitall(static_cast<int>(notice.requests.size()), notice.requests.data(), MPI_STATUSES_IGNORE);
    }
}

void failure_notices::leak() noexcept
{
    static_cast<void>(new (std::nothrow) std::list<sent_notice>(std::move(sent_)));
}

} // namespace rankfold::detail
