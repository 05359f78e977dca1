// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every rank gets every rank's block, by point-to-point messages in a pattern that depends on the
// communicator's size only, so that the rank that is missing is known by name. No MPI collective.
//
//   up to 64 ranks   everybody sends its block to everybody: one step
//   above            ranks in groups of about sqrt(p): everybody to everybody in the group, then the groups'
//                    blocks across the groups, to the members of the same position: two steps, 2 sqrt(p)
//                    messages
//
// Who is late in the first step tells the others that rank's name, who wait in the second step a little
// longer for it. Blocks are sent from memory of the gather's own, which is left behind with messages that do
// not leave.
#pragma once

#include "watch/wait_guard.hpp"

#include "rankfold/mpi.hpp"

#include <atomic>
#include <cstddef>
#include <vector>

namespace rankfold::detail {

class host_gather {
public:
    /// @param one_step_ranks  up to so many ranks take one step
    host_gather(MPI_Comm comm, int rank, int size, int one_step_ranks = 64);

    /// Sends the own block, blocks[rank * bytes ...), and receives all others.
    /// @param bytes  of one block, the same on all ranks
    /// @param tag    keeps messages of different meaning apart
    /// @return go_on where all is done; else no other gather may follow
    wait_guard::verdict run(std::byte* blocks, std::size_t bytes, int tag, wait_guard& guard);

    /// Whom a late gather waited for.
    [[nodiscard]] const std::vector<int>& missing() const noexcept { return missing_; }
    /// The ranks waited for right now. Any thread.
    [[nodiscard]] std::vector<int> waiting_for() const;

private:
    struct transfer {
        int peer;
        int first; ///< block
        int count; ///< blocks
    };
    struct step {
        int first;                ///< block that is sent
        int count;                ///< blocks
        std::vector<int> sends{}; ///< to these ranks
        std::vector<transfer> receives{};
        std::vector<MPI_Request> send_requests{}; ///< null between runs
        std::vector<MPI_Request> receive_requests{};
    };
    void add_group_step(int group, int groups);
    void add_cross_step(int group, int groups);
    void add(step made);
    void start(step& now, std::byte* blocks, std::size_t bytes, int tag);
    wait_guard::verdict run_step(step& now, std::byte* blocks, std::size_t bytes, int tag, wait_guard& guard);
    wait_guard::verdict poll(std::vector<MPI_Request>& requests, bool receives, wait_guard& guard);
    void abandon(step& now) noexcept;

    MPI_Comm comm_;
    int rank_;
    int size_;
    int group_size_;
    std::vector<step> steps_;
    std::vector<std::byte> outgoing_;
    std::vector<int> missing_;
    std::vector<int> indices_;               // of completed requests
    std::vector<std::atomic<bool>> arrived_; // per receive of the running step
    std::atomic<const step*> running_{nullptr};
};

} // namespace rankfold::detail
