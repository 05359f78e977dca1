// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a communicator is made of; seen by lib/comm alone.
#pragma once

#include "comm/state.hpp"
#include "device_gather.hpp"
#include "device_runtime.hpp"
#include "facts.hpp"
#include "flight_recorder.hpp"
#include "host_gather.hpp"
#include "log.hpp"
#include "nccl_communicator.hpp"
#include "peer_mailbox.hpp"
#include "progress_board.hpp"
#include "queue_marks.hpp"
#include "settings.hpp"
#include "sticky_failure.hpp"
#include "watchdog.hpp"

#include <list>
#include <mutex>

namespace rankfold::detail {

/// Message tags on the duplicated communicator.
enum tag : int { tag_slots = 1, tag_wide = 2, tag_description = 3, tag_attempt = 4 };

struct communicator_parts {
    explicit communicator_parts(const settings& s) : asked(s), log(s.level, s.log_file) {}

    settings asked;
    logger log;
    MPI_Comm comm = MPI_COMM_NULL;
    bool main_thread_only = false;
    std::vector<rank_facts> facts;
    std::unique_ptr<host_gather> gather;
    std::unique_ptr<watchdog> dog;
    flight_recorder flight;
    std::mutex flight_file; ///< calling thread and watchdog may write to the same
    std::unique_ptr<progress_board> progress;
    sticky_failure failed;

    // cuda backend
    device_runtime::properties gpu{};
    CUstream_st* stream = nullptr;
    failure_word* failure = nullptr;        ///< device memory
    failure_word* failure_mirror = nullptr; ///< pinned host memory
    CUstream_st* rescue = nullptr;          ///< to reach the device while `stream` waits for other ranks
    std::unique_ptr<nccl_communicator> nccl;
    std::unique_ptr<peer_mailbox> peer;     ///< transport peer
    std::unique_ptr<device_gather> forward; ///< transport nccl
    std::unique_ptr<queue_marks> marks;     ///< transport nccl
    slot* meeting = nullptr;                ///< where ranks that make a plan meet: one per rank

    /// Of the GPU's memory, on each rank.
    [[nodiscard]] std::size_t device_bytes() const noexcept
    {
        return (failure ? sizeof(failure_word) : 0) + (meeting ? facts.size() * sizeof(slot) : 0) +
               (peer ? peer->bytes() : 0) + (forward ? forward->bytes() : 0);
    }

    /// A description on its way to all other ranks; nobody waits for it.
    struct farewell {
        call_description description;
        std::vector<MPI_Request> requests;
    };
    std::list<farewell> farewells;
    /// One that has come from another rank, and was not asked for yet.
    struct heard {
        int rank;
        call_description description;
    };
    std::list<heard> heard_of;
};

} // namespace rankfold::detail
