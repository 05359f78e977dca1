// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "watch/watchdog.hpp"

#include <algorithm>
#include <csignal>
#include <pthread.h>

namespace rankfold::detail {
namespace {

watchdog::clock::duration seconds(double s)
{
    return std::chrono::duration_cast<watchdog::clock::duration>(std::chrono::duration<double>(s));
}

std::string in_seconds(watchdog::clock::duration time)
{
    const auto text = std::to_string(std::chrono::duration<double>(time).count());
    return text.substr(0, text.find('.') + 2) + " s";
}

} // namespace

watchdog::watchdog(double warn_s, double timeout_s, const logger& log, hooks how)
    : warn_s_(warn_s), timeout_s_(timeout_s), log_(log), how_(std::move(how))
{
    // The thread takes no signals: they stay with the program's own threads.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

watchdog::~watchdog()
{
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void watchdog::arm(const call_description& call)
{
    const std::lock_guard lock(mutex_);
    armed_ = true;
    warned_ = false;
    call_ = &call;
    start_ = clock::now();
    deadline_ = start_ + seconds(timeout_s_);
    expired_.store(false, std::memory_order_release);
}

void watchdog::disarm() noexcept
{
    const std::lock_guard lock(mutex_);
    armed_ = false;
    call_ = nullptr;
}

void watchdog::extend(double more) noexcept
{
    const std::lock_guard lock(mutex_);
    deadline_ = clock::now() + seconds(more);
    expired_.store(false, std::memory_order_release);
}

void watchdog::run()
{
    // Arming does not wake the thread (a call may last a microsecond); it looks often enough for the shorter
    // limit.
    const auto period = seconds(std::clamp(std::min(warn_s_, timeout_s_) / 16, 0.005, 1.0));
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, period, [this] { return stop_; })) {
        look_at_queue(lock);
        if (armed_) {
            look_at_wait();
        }
    }
}

void watchdog::warn(const call_description& call, clock::duration waited) const
{
    log_.write(log_level::warn, "call " + std::to_string(call.number) + " (" + to_text(call) +
                                    ") has waited " + in_seconds(waited) + " for " +
                                    how_.waiting_for(call.number) + "; it fails after " +
                                    in_seconds(seconds(timeout_s_)));
}

void watchdog::look_at_wait()
{
    const auto now = clock::now();
    if (!warned_ && !queued_ && now - start_ >= seconds(warn_s_)) {
        warned_ = true;
        warn(*call_, now - start_);
    }
    if (now >= deadline_) {
        expired_.store(true, std::memory_order_release);
    }
}

void watchdog::look_at_queue(std::unique_lock<std::mutex>& lock)
{
    const std::optional<exchange_mark> seen = how_.under_way();
    if (!seen) {
        queued_.reset();
        return;
    }
    const auto now = clock::now();
    if (!queued_ || queued_->sequence != seen->sequence) {
        queued_ = queued_exchange{seen->sequence, now, false, false};
    }
    const auto waited = now - queued_->first_seen;
    if (!queued_->warned && waited >= seconds(warn_s_)) {
        queued_->warned = true;
        warn(how_.call(seen->call), waited);
    }
    if (!queued_->ended && waited >= seconds(timeout_s_)) {
        queued_->ended = true;
        lock.unlock(); // it may take a while, and calls go on
        how_.end_queue(seen->call);
        lock.lock();
    }
}

} // namespace rankfold::detail
