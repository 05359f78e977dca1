// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "watch/failure_notice.hpp"

#include "runtime/mpi_check.hpp"
#include "runtime/tags.hpp"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

namespace rankfold::detail {
namespace {

/// True once all have left. Does not wait.
bool all_done(std::vector<MPI_Request>& requests)
{
    int done = 0;
    const int status =
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    return status == MPI_SUCCESS && done != 0;
}

/// The ranks at distances 1, 2, 4, ... behind this one.
bool is_relay(int distance)
{
    return (distance & (distance - 1)) == 0;
}

} // namespace

failure_notices::~failure_notices()
{
    int finalised = 0;
    MPI_Finalized(&finalised);
    sent_.remove_if([&](sent_description& sent) { return !finalised && all_done(sent.requests); });
    if (!sent_.empty()) {
        static_cast<void>(new (std::nothrow) std::list<sent_description>(std::move(sent_)));
    }
    if (notice_ && (finalised || !all_done(notice_requests_))) {
        static_cast<void>(new (std::nothrow) std::optional<failure_notice>(std::move(notice_)));
    }
}

void failure_notices::receive_descriptions()
{
    for (int found = 1; found != 0;) {
        MPI_Status status;
        RANKFOLD_MPI(MPI_Iprobe(MPI_ANY_SOURCE, tag_description, comm_, &found, &status));
        if (found != 0) {
            auto& theirs = received_.emplace_back();
            theirs.rank = status.MPI_SOURCE;
            RANKFOLD_MPI(MPI_Recv(&theirs.description, sizeof theirs.description, MPI_BYTE, theirs.rank,
                                  tag_description, comm_, MPI_STATUS_IGNORE));
        }
    }
}

bool failure_notices::others_have_described(std::uint64_t number)
{
    receive_descriptions();
    return std::any_of(received_.begin(), received_.end(),
                       [&](const auto& theirs) { return theirs.description.number == number; });
}

descriptions failure_notices::exchange_descriptions(const call_description& mine,
                                                    const std::vector<std::uint64_t>& numbers,
                                                    const std::function<bool()>& stop)
{
    sent_.remove_if([](sent_description& sent) { return all_done(sent.requests); });
    sent_description& own = sent_.emplace_back();
    own.description = mine;
    own.requests.resize(static_cast<std::size_t>(size_), MPI_REQUEST_NULL);
    descriptions all(static_cast<std::size_t>(size_));
    all[static_cast<std::size_t>(rank_)] = mine;
    for (int r = 0; r < size_; ++r) {
        if (r != rank_) {
            RANKFOLD_MPI(MPI_Isend(&own.description, sizeof(call_description), MPI_BYTE, r, tag_description,
                                   comm_, &own.requests[static_cast<std::size_t>(r)]));
        }
    }
    for (int missing = size_ - 1; missing > 0;) {
        receive_descriptions();
        for (const received_description& theirs : std::exchange(received_, {})) {
            auto& place = all[static_cast<std::size_t>(theirs.rank)];
            if (theirs.description.number == numbers[static_cast<std::size_t>(theirs.rank)] && !place) {
                place = theirs.description;
                --missing;
            }
        }
        if (missing > 0 && stop()) {
            break;
        }
        std::this_thread::yield();
    }
    return all;
}

void failure_notices::send(const failure_notice& notice) noexcept
{
    if (notice_ || size_ == 1) {
        return;
    }
    notice_ = notice;
    const bool own = notice.teller == rank_;
    for (int distance = 1; distance < size_; ++distance) {
        if (own || is_relay(distance)) {
            MPI_Request request = MPI_REQUEST_NULL;
            const int status = MPI_Isend(&*notice_, sizeof *notice_, MPI_BYTE, (rank_ + distance) % size_,
                                         tag_failure, comm_, &request);
            if (status == MPI_SUCCESS) { // else others relay it
                notice_requests_.push_back(request);
            }
        }
    }
}

std::optional<failure_notice> failure_notices::receive()
{
    int found = 0;
    MPI_Status status;
    RANKFOLD_MPI(MPI_Iprobe(MPI_ANY_SOURCE, tag_failure, comm_, &found, &status));
    if (found == 0) {
        return {};
    }
    failure_notice notice;
    RANKFOLD_MPI(
        MPI_Recv(&notice, sizeof notice, MPI_BYTE, status.MPI_SOURCE, tag_failure, comm_, MPI_STATUS_IGNORE));
    return notice;
}

} // namespace rankfold::detail
