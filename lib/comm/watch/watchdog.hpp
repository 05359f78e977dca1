// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The thread that ends waits. It makes no MPI call. Waits of the host: it warns, and after the deadline
// raises a flag that the waiting loops of the calling thread obey. Exchanges that were queued on a GPU, which
// nobody may be waiting for: it warns, and after the deadline ends them.
#pragma once

#include "comm/call.hpp"
#include "watch/log.hpp"

#include "rankfold/exchange_mark.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace rankfold::detail {

class watchdog {
public:
    using clock = std::chrono::steady_clock;

    /// Called from the watchdog's thread.
    struct hooks {
        std::function<std::string(std::uint64_t)> waiting_for; ///< the ranks missing in a call, in words
        std::function<std::optional<exchange_mark>()> under_way;
        std::function<call_description(std::uint64_t)> call; ///< by number
        std::function<void(std::uint64_t)> end_queue;        ///< fails the call, and what is queued behind it
    };
    watchdog(double warn_s, double timeout_s, const logger& log, hooks how);
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
    void run();
    void look_at_wait();
    void look_at_queue(std::unique_lock<std::mutex>& lock);
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

    std::mutex mutex_;
    std::condition_variable wake_;
    bool stop_ = false;
    bool armed_ = false;
    bool warned_ = false;
    const call_description* call_ = nullptr;
    clock::time_point start_;
    clock::time_point deadline_;
    std::atomic<bool> expired_{false};
    std::thread thread_;
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
