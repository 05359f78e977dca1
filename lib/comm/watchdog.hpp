// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The thread that ends waits. It makes no MPI, CUDA or NCCL call: it warns, and after the deadline raises a
// flag that the waiting loops of the calling thread obey.
#pragma once

#include "comm/call.hpp"
#include "log.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace rankfold::detail {

class watchdog {
public:
    using clock = std::chrono::steady_clock;

    /// @param waiting_for  called from the watchdog's thread while a wait is armed: the ranks that are
    /// missing, in words
    watchdog(double warn_s, double timeout_s, const logger& log, std::function<std::string()> waiting_for);
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
    void tick();

    double warn_s_;
    double timeout_s_;
    const logger& log_;
    std::function<std::string()> waiting_for_;

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
