// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waits, and how a failure is told: to the user with names, to the other ranks by a notice.
#pragma once

#include "comm_context.hpp"
#include "watch/failure_notice.hpp"
#include "watch/sticky_failure.hpp"
#include "watch/watchdog.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankfold::detail {

class exchange_transport;

class failure_handler {
public:
    /// @param main_thread_only  only the thread that initialised MPI may call it
    failure_handler(const comm_context& comm, bool main_thread_only);
    failure_handler(const failure_handler&) = delete;
    failure_handler& operator=(const failure_handler&) = delete;

    /// Starts the watchdog over calls that go through `transport`, until stop().
    void watch(exchange_transport& transport);
    void stop() noexcept { dog_.reset(); }
    [[nodiscard]] watchdog& dog() noexcept { return *dog_; }
    [[nodiscard]] failure_notices& notices() noexcept { return notices_; }

    /// errc::success, or why the communicator takes no more calls. Any thread.
    [[nodiscard]] errc status() const noexcept;
    /// @throws error if the communicator takes no calls, from this thread or at all
    void require_usable();
    void abort() noexcept;

    /// @param sticky  the communicator takes no more calls
    [[noreturn]] void raise(const call_description& call, errc code, int at_rank, const std::string& text,
                            bool sticky);
    /// Tells the others what this rank called, hears what they called, and says what is wrong.
    /// @param in_step  all ranks throw from this call, and may go on
    [[noreturn]] void raise_together(const call_description& call, bool in_step, errc found = errc::success);
    [[noreturn]] void raise_timeout(const call_description& call, const std::vector<int>& missing);

    /// Waits for a stream, armed by the caller. @throws error
    void poll(const call_description& call, CUstream_st* stream);
    /// Waits for a stream on behalf of a call; on the host for nothing. @throws error
    void finish(const call_description& call, CUstream_st* stream);
    /// Waits for everything that was queued on a stream. @throws error
    void wait(CUstream_st* stream);
    /// Waits until the GPU has ended all calls and replays that were queued before. @throws error
    void wait_for_gpu(const call_description& call);
    /// Ends what is queued, so that the GPU can be used again. Any thread.
    void stop_device(std::uint64_t call, errc code) noexcept;

private:
    /// A rank as errors name it: process, host, and what is known of it.
    [[nodiscard]] std::string who(int rank) const;
    /// In words. Any thread.
    [[nodiscard]] std::string waiting_for(std::uint64_t call) const;
    [[nodiscard]] std::string timeout_text(const call_description& call,
                                           const std::vector<int>& missing) const;
    descriptions exchange_notices(const call_description& mine);
    void raise_device_failure();
    [[nodiscard]] std::vector<int> missing_from(const call_description& call);
    void look_around(const call_description& call,
                     std::optional<std::chrono::steady_clock::time_point>& others_failed);
    /// Fails a call that was queued, by its deadline. Any thread.
    void end_queue(std::uint64_t call) noexcept;

    comm_context comm_;
    bool main_thread_only_;
    failure_notices notices_;
    sticky_failure failed_;
    exchange_transport* transport_ = nullptr;
    std::unique_ptr<watchdog> dog_;
};

} // namespace rankfold::detail
