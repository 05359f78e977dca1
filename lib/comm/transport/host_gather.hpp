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
// A rank that misses the first step's deadline is marked in its block and carried to all others by the second
// step.
#pragma once

#include "rankfold/mpi.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

namespace rankfold::detail {

class watchdog;

class host_gather {
public:
    host_gather(MPI_Comm comm, int rank, int size);

    /// Sends the own block, blocks[rank * bytes ...), and receives all others.
    /// @param bytes         of one block, the same on all ranks
    /// @param tag           keeps messages of different meaning apart
    /// @param dog           armed by the caller
    /// @param mark_missing  writes "this rank did not come" into a block
    /// @return false if the deadline passed; blocks of missing ranks are marked, and the communicator must
    /// not be used for another gather
    bool run(std::byte* blocks, std::size_t bytes, int tag, watchdog& dog,
             const std::function<void(std::byte*)>& mark_missing);

    /// The ranks waited for right now. Any thread.
    [[nodiscard]] std::vector<int> waiting_for() const;

    /// Ranks in a group; exposed for tests of the two-step pattern on few ranks.
    static int group_size(int ranks);

private:
    struct transfer {
        int peer;
        int first; ///< block
        int count; ///< blocks
    };
    struct step {
        std::vector<transfer> sends;
        std::vector<transfer> receives;
        std::vector<MPI_Request> send_requests; ///< null between runs
        std::vector<MPI_Request> receive_requests;
    };
    void add_group_step(int group, int groups);
    void add_cross_step(int group, int groups);
    void add(step made);
    bool run_step(step& step, std::byte* blocks, std::size_t bytes, int tag, watchdog& dog);
    bool poll(std::vector<MPI_Request>& requests, bool receives, watchdog& dog);

    MPI_Comm comm_;
    int rank_;
    int size_;
    int group_size_;
    std::vector<step> steps_;
    std::vector<int> indices_;               // of completed requests
    std::vector<std::atomic<bool>> arrived_; // per receive of the running step
    std::atomic<const step*> running_{nullptr};
};

} // namespace rankfold::detail
