// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of this rank: numbered, one at a time, recorded for whoever asks later, shown to the ranks of
// the node.
#pragma once

#include "watch/flight_recorder.hpp"
#include "watch/log.hpp"
#include "watch/progress_board.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace rankfold::detail {

class call_ledger {
public:
    /// @param of          whose calls they are
    /// @param directory   where a record is written when a call fails; empty: nowhere
    call_ledger(progress_board& progress, const logger& log, flight_header of, std::string directory);

    /// False where another call is in the communicator. Any thread.
    [[nodiscard]] bool try_enter() noexcept { return !in_call_.exchange(true, std::memory_order_acquire); }
    void exit() noexcept { in_call_.store(false, std::memory_order_release); }

    /// @param code  of the problem, where there is one
    call_description begin(const call_facts& facts, const execution& where, const std::string& problem,
                           errc code);
    /// The call ends by an exception, whose reason is recorded by fail().
    void leave(std::uint64_t number) noexcept { progress_.leave(number); }
    /// The call returns to its caller, unless it has failed meanwhile.
    void leave(std::uint64_t number, call_outcome outcome) noexcept;
    /// Writes the record to the directory, where there is one. Any thread.
    void fail(std::uint64_t number, errc code, const std::string& reason) noexcept;
    /// Whatever was queued on `stream` is done.
    void complete(CUstream_st* stream) noexcept { flight_.complete(stream); }
    /// The communicator is destroyed.
    void close() noexcept { progress_.close(); }

    /// The last call whose number has these 32 low bits. Any thread.
    [[nodiscard]] call_description call(std::uint64_t number) const { return flight_.call(number); }
    [[nodiscard]] call_description last() const { return flight_.call(last_); }
    /// What the node knows of a rank, in words; empty where it knows nothing.
    [[nodiscard]] std::string news_of(int rank) const { return progress_.tell(rank); }
    /// Of those ranks that the node knows, the ones that have not begun `call`.
    [[nodiscard]] std::vector<int> not_yet_in(std::uint64_t call) const { return progress_.not_yet_in(call); }

    /// Of some ranks, those that are known never to come to `call` or to leave it.
    [[nodiscard]] std::vector<int> lost_of(const std::vector<int>& ranks, std::uint64_t call) const;
    /// Tells the ranks of the node at once why the communicator has failed. Any thread.
    void publish(const failure_notice& notice) noexcept { progress_.publish(notice); }
    /// What a rank of the node has published, or null. Costs a load.
    [[nodiscard]] const failure_notice* published() const noexcept
    {
        return progress_.has_failed() ? &progress_.failure() : nullptr;
    }

    /// @see communicator::write_flight_record
    void write(const std::string& path, const std::string& reason) const;

private:
    progress_board& progress_;
    const logger& log_;
    flight_header of_;
    std::string directory_;
    flight_recorder flight_;
    mutable std::mutex file_;            ///< calling thread and watchdog may write to the same
    std::atomic<std::uint64_t> last_{0}; ///< a second thread may ask
    std::atomic<bool> in_call_{false};
};

} // namespace rankfold::detail
