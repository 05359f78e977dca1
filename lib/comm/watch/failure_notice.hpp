// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What ranks tell each other when something is wrong, over MPI, whatever the transport. Descriptions: all
// ranks found out in the same call that they made different ones, and show each other what they called. A
// notice of failure: the communicator has failed, and why; a rank sends it once.
#pragma once

#include "comm/call.hpp"

#include "rankfold/error.hpp"
#include "rankfold/mpi.hpp"

#include <functional>
#include <list>
#include <optional>
#include <vector>

namespace rankfold::detail {

/// By rank; empty where a rank did not say.
using descriptions = std::vector<std::optional<call_description>>;

/// Sent as bytes; fixed size.
struct failure_notice {
    call_description call;
    std::int32_t teller = -1;  ///< who found out first
    std::int32_t culprit = -1; ///< whose fault it is; -1: no rank's in particular
    errc code = errc::success;
    std::array<char, 1024> reason{};
};

class failure_notices {
public:
    failure_notices(MPI_Comm comm, int rank, int size) : comm_(comm), rank_(rank), size_(size) {}
    failure_notices(const failure_notices&) = delete;
    failure_notices& operator=(const failure_notices&) = delete;
    /// What has not left yet is left behind with its memory: the others may be gone.
    ~failure_notices();

    /// Sends `mine` to all other ranks and waits for theirs, until `stop` holds.
    /// @param numbers  of the calls in which the ranks are, by rank; what they say of others is left over
    descriptions exchange_descriptions(const call_description& mine,
                                       const std::vector<std::uint64_t>& numbers,
                                       const std::function<bool()>& stop);

    /// True if another rank has described call `number` already. Does not wait.
    [[nodiscard]] bool others_have_described(std::uint64_t number);

    /// Tells all other ranks; of a failure that another rank has told, only some, so that it goes round
    /// though the teller may have stopped half way. The first counts. Does not wait, and does not throw.
    void send(const failure_notice& notice) noexcept;
    /// The first notice of another rank that has come. Does not wait.
    [[nodiscard]] std::optional<failure_notice> receive();

private:
    struct sent_description {
        call_description description;
        std::vector<MPI_Request> requests;
    };
    struct received_description {
        int rank;
        call_description description;
    };
    void receive_descriptions();

    MPI_Comm comm_;
    int rank_;
    int size_;
    std::list<sent_description> sent_;
    std::list<received_description> received_; ///< and not asked for yet
    std::optional<failure_notice> notice_;     ///< sent
    std::vector<MPI_Request> notice_requests_;
};

} // namespace rankfold::detail
