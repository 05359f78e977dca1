// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where the ranks of a node write which calls they have begun and left, in memory that they share: so that
// the others can tell of a rank that is stopped or gone, without its help. The first that fails writes down
// why.
#pragma once

#include "watch/failure_notice.hpp"

#include "rankfold/mpi.hpp"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace rankfold::detail {

class progress_board {
public:
    /// Collective over `node`, the ranks that share memory. Where the system refuses the memory to one of
    /// them, the board stays empty on all, and knows nothing.
    /// @param rank  of this process in the communicator
    progress_board(MPI_Comm node, int rank);
    ~progress_board();
    progress_board(const progress_board&) = delete;
    progress_board& operator=(const progress_board&) = delete;

    void enter(std::uint64_t call) noexcept;
    void leave(std::uint64_t call) noexcept;
    /// The communicator is destroyed.
    void close() noexcept;

    /// Tells the node why the communicator has failed; the first counts. Any thread.
    void publish(const failure_notice& notice) noexcept;
    /// True once a rank of the node has published. One load of memory that nobody else writes to.
    [[nodiscard]] bool has_failed() const noexcept
    {
        return head_ != nullptr && head_->stage.load(std::memory_order_acquire) == published;
    }
    /// What was published, where has_failed().
    [[nodiscard]] const failure_notice& failure() const noexcept { return head_->notice; }

    /// True where a rank is known never to come to `call` or to leave it: its process is gone, or it has
    /// destroyed the communicator before.
    [[nodiscard]] bool is_lost(int rank, std::uint64_t call) const;

    /// "stopped; not in Rankfold since call 41", or empty where the board knows nothing of the rank.
    [[nodiscard]] std::string tell(int rank) const;
    /// Of those ranks that the board knows, the ones that have not begun `call`.
    [[nodiscard]] std::vector<int> not_yet_in(std::uint64_t call) const;

private:
    enum stage : std::uint32_t { nothing, writing, published };
    /// Zero at first.
    struct alignas(64) header {
        std::atomic<std::uint64_t> token; ///< proves that this is the node's board
        std::atomic<std::uint32_t> stage;
        failure_notice notice;
    };
    /// A cache line of its own, written by its rank alone. Zero at first.
    struct alignas(64) row {
        std::atomic<std::uint64_t> entered;
        std::atomic<std::uint64_t> left;
        std::atomic<bool> closed;
        std::int32_t rank;
        std::int32_t pid;
    };
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

    [[nodiscard]] const row* row_of(int rank) const noexcept;

    [[nodiscard]] std::size_t bytes() const noexcept
    {
        return sizeof(header) + static_cast<std::size_t>(count_) * sizeof(row);
    }

    header* head_ = nullptr; ///< null where the system refused the memory
    row* rows_ = nullptr;
    row* own_ = nullptr;
    int count_ = 0;
};

} // namespace rankfold::detail
