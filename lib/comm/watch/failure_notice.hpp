// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How ranks whose call failed tell each other what they called: over MPI, whatever the transport.
#pragma once

#include "comm/call.hpp"

#include "rankfold/mpi.hpp"

#include <list>
#include <optional>
#include <vector>

namespace rankfold::detail {

/// By rank; empty where a rank did not say.
using descriptions = std::vector<std::optional<call_description>>;

class failure_notices {
public:
    failure_notices(MPI_Comm comm, int rank, int size) : comm_(comm), rank_(rank), size_(size) {}
    failure_notices(const failure_notices&) = delete;
    failure_notices& operator=(const failure_notices&) = delete;

    /// True if another rank has sent a notice of call `number`. Does not wait.
    [[nodiscard]] bool others_have_failed(std::uint64_t number);
    /// Sends `mine` to all other ranks and waits a bounded time for theirs of the same call.
    descriptions exchange(const call_description& mine, double seconds);

    /// Waits until what was sent has left.
    void flush();
    /// Messages may be under way to ranks that are gone: their memory is left behind.
    void leak() noexcept;

private:
    struct sent_notice {
        call_description description;
        std::vector<MPI_Request> requests;
    };
    struct received_notice {
        int rank;
        call_description description;
    };
    void receive();

    MPI_Comm comm_;
    int rank_;
    int size_;
    std::list<sent_notice> sent_;
    std::list<received_notice> received_; ///< and not asked for yet
};

} // namespace rankfold::detail
