// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waits, and how a failure is told: to the user with names, to the other ranks by a notice. One rule: a call
// that ends by anything but success on one rank fails the communicator on all, with the first reason; but for
// errors that all ranks have found in the same call, which leave all of them in step.
#pragma once

#include "comm_context.hpp"
#include "watch/failure_notice.hpp"
#include "watch/sticky_failure.hpp"
#include "watch/wait_guard.hpp"
#include "watch/watchdog.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <span>
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

    /// errc::success, or why the communicator takes no more calls. Any thread.
    [[nodiscard]] errc status() const noexcept;
    /// @throws error if the communicator takes no calls, from this thread or at all
    void require_usable();
    /// @throws error if another rank has failed meanwhile. Of a call that has all it waited for: a rank that
    /// was stopped until the others gave up must not go on alone.
    void require_no_news();
    void abort() noexcept;

    /// Fails the communicator, here at once, on the ranks of the node as soon as they look, elsewhere by
    /// tell_others(). The first reason counts. Any thread.
    void fail(const call_description& call, errc code, int culprit, const std::string& text) noexcept;
    /// The same, of the last call, which the exception that is being handled has ended.
    void fail_by_exception() noexcept;
    /// Sends the other ranks why the communicator has failed, where MPI may be called. By the calling thread.
    void tell_others() noexcept;
    /// How many errors were raised that the other ranks know of.
    [[nodiscard]] std::uint64_t raised() const noexcept { return raised_; }

    /// @param sticky  the communicator takes no more calls; else all ranks throw from this call
    [[noreturn]] void raise(const call_description& call, errc code, int culprit, const std::string& text,
                            bool sticky);
    /// Tells the others what this rank called, hears what they called, and says what is wrong.
    /// @param in_step  all ranks throw from this call, and may go on
    /// @param slots    where they were gathered, those of all ranks: their calls may have other numbers than
    /// this one
    [[noreturn]] void raise_together(const call_description& call, bool in_step, errc found = errc::success,
                                     std::span<const slot> slots = {});
    [[noreturn]] void raise_timeout(const call_description& call, const std::vector<int>& missing);

    /// Ends a wait of `call` for other ranks; the watchdog is armed by the caller.
    class guard final : public wait_guard {
    public:
        guard(failure_handler& failure, const call_description& call) : failure_(failure), call_(call) {}
        verdict ask() override;
        void extend() override;
        /// True where the last question was one of those, one in many, that looked further.
        [[nodiscard]] bool has_looked() const noexcept { return polls_ % polls_between_looks == 0; }
        /// After the verdict `ended`. @throws error
        [[noreturn]] void raise();

    private:
        failure_handler& failure_;
        const call_description& call_;
        std::uint64_t polls_ = 0;
        watchdog::clock::time_point next_look_ = watchdog::clock::now() + look_period;
        std::optional<watchdog::clock::time_point> lost_since_;
        std::vector<int> lost_;
    };

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
    [[nodiscard]] std::string missing_text(const std::vector<int>& missing) const;
    [[nodiscard]] std::string timeout_text(const call_description& call,
                                           const std::vector<int>& missing) const;
    descriptions exchange_descriptions(const call_description& mine, std::span<const slot> slots);
    [[noreturn]] void raise_first();
    void raise_device_failure();
    [[nodiscard]] std::vector<int> missing_from(const call_description& call);
    /// True once the communicator is known to have failed.
    /// @param in_mpi  look into MPI, too, not only at the node's board
    bool listen(bool in_mpi);
    /// In MPI, as often as it may need to take in what has come.
    bool listen_closely();
    /// Now and then closely.
    bool listen_now_and_then();
    void believe(const failure_notice& told) noexcept;
    /// Ranks that `call` waits for.
    [[nodiscard]] std::vector<int> awaited() const;
    void look_around(const call_description& call, guard& wait,
                     std::optional<watchdog::clock::time_point>& others_failed);
    /// Fails a call that was queued, by its deadline. Any thread.
    void end_queue(std::uint64_t call) noexcept;

    static constexpr std::uint64_t polls_between_looks = 64;
    static constexpr std::chrono::milliseconds look_period{100};

    comm_context comm_;
    bool main_thread_only_;
    failure_notices notices_;
    sticky_failure failed_;
    exchange_transport* transport_ = nullptr;
    std::unique_ptr<watchdog> dog_;
    std::atomic<std::uint64_t> raised_{0};
    watchdog::clock::time_point last_look_ = watchdog::clock::now(); ///< into MPI
};

} // namespace rankfold::detail
