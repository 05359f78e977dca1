// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What ends the waits of a communicator, on the thread that all of a process share. It makes no MPI call.
// Waits of the host: it warns, and after the deadline raises a flag that the waiting loops of the calling
// thread obey. Exchanges that were queued on a GPU, which nobody may be waiting for: it warns, and after the
// deadline ends them.
#pragma once

#include "comm/call.hpp"
#include "watch/log.hpp"
#include "watch/watch_thread.hpp"

#include "rankfold/exchange_mark.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace rankfold::detail {

class watchdog final : private watched {
public:
    using clock = std::chrono::steady_clock;

    /// Called from the watching thread; `end_queue`, which may last, from one of its own where there can be
    /// one.
    struct hooks {
        std::function<std::string(std::uint64_t)> waiting_for; ///< the ranks missing in a call, in words
        std::function<std::optional<exchange_mark>()> under_way;
        std::function<call_description(std::uint64_t)> call; ///< by number
        std::function<void(std::uint64_t)> end_queue;        ///< fails the call, and what is queued behind it
    };
    watchdog(double warn_s, double timeout_s, const logger& log, hooks how,
             std::shared_ptr<watch_thread> thread = watch_thread::of_process());
    /// Returns when no hook runs.
    ~watchdog();
    watchdog(const watchdog&) = delete;
    watchdog& operator=(const watchdog&) = delete;

    /// Starts the time of one wait; `call` is named in the warning and stays valid until disarm.
    void arm(const call_description& call);
    void disarm() noexcept;
    /// True once the deadline of the armed wait has passed.
    [[nodiscard]] bool expired() const noexcept { return expired_.load(std::memory_order_acquire); }
    /// Gives an expired wait a little more time, to tell the others about it.
    void extend(double seconds) noexcept;
    [[nodiscard]] double timeout_s() const noexcept { return timeout_s_; }

private:
    [[nodiscard]] clock::duration period() const noexcept override;
    void look() noexcept override;
    void look_at_wait();
    void look_at_queue();
    void end_queue(std::uint64_t call);
    void warn(const call_description& call, clock::duration waited) const;

    /// An exchange that is under way on the GPU.
    struct queued_exchange {
        std::uint32_t sequence;
        clock::time_point first_seen;
        bool warned;
        bool ended;
    };

    double warn_s_;
    double timeout_s_;
    const logger& log_;
    hooks how_;
    std::optional<queued_exchange> queued_;

    std::shared_ptr<watch_thread> thread_;

    std::mutex mutex_;
    bool armed_ = false;
    bool warned_ = false;
    const call_description* call_ = nullptr;
    clock::time_point start_;
    clock::time_point deadline_;
    std::atomic<bool> expired_{false};
    std::thread ender_; ///< runs the hook end_queue
};

/// Arms for a scope.
class armed_watchdog {
public:
    armed_watchdog(watchdog& dog, const call_description& call) : dog_(dog) { dog_.arm(call); }
    ~armed_watchdog() { dog_.disarm(); }
    armed_watchdog(const armed_watchdog&) = delete;
    armed_watchdog& operator=(const armed_watchdog&) = delete;

private:
    watchdog& dog_;
};

} // namespace rankfold::detail
