// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "watch/watchdog.hpp"

#include "runtime/seconds.hpp"

#include <algorithm>
#include <system_error>

namespace rankfold::detail {

watchdog::watchdog(double warn_s, double timeout_s, const logger& log, hooks how,
                   std::shared_ptr<watch_thread> thread)
    : warn_s_(warn_s), timeout_s_(timeout_s), log_(log), how_(std::move(how)), thread_(std::move(thread))
{
    thread_->add(*this);
}

watchdog::~watchdog()
{
    thread_->remove(*this);
    if (ender_.joinable()) {
        ender_.join();
    }
}

void watchdog::arm(const call_description& call)
{
    const std::lock_guard lock(mutex_);
    armed_ = true;
    warned_ = false;
    call_ = &call;
    start_ = clock::now();
    deadline_ = start_ + duration_of(timeout_s_);
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
    deadline_ = clock::now() + duration_of(more);
    expired_.store(false, std::memory_order_release);
}

watchdog::clock::duration watchdog::period() const noexcept
{
    // Arming does not wake the thread (a call may last a microsecond); it looks often enough for the shorter
    // limit.
    return duration_of(std::clamp(std::min(warn_s_, timeout_s_) / 16, 0.005, 1.0));
}

void watchdog::look() noexcept
{
    try {
        const std::lock_guard lock(mutex_);
        look_at_queue();
        if (armed_) {
            look_at_wait();
        }
    } catch (const std::exception& problem) { // no memory for a text: the next look tries again
        log_.write(log_level::warn, problem.what());
    }
}

void watchdog::warn(const call_description& call, clock::duration waited) const
{
    log_.write(log_level::warn, "call " + std::to_string(call.number) + " (" + to_text(call) +
                                    ") has waited " + seconds_text(waited) + " for " +
                                    how_.waiting_for(call.number) + "; it fails after " +
                                    seconds_text(timeout_s_));
}

void watchdog::look_at_wait()
{
    const auto now = clock::now();
    if (!warned_ && !queued_ && now - start_ >= duration_of(warn_s_)) {
        warned_ = true;
        warn(*call_, now - start_);
    }
    if (now >= deadline_) {
        expired_.store(true, std::memory_order_release);
    }
}

void watchdog::look_at_queue()
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
    if (!queued_->warned && waited >= duration_of(warn_s_)) {
        queued_->warned = true;
        warn(how_.call(seen->call), waited);
    }
    if (!queued_->ended && waited >= duration_of(timeout_s_)) {
        queued_->ended = true;
        end_queue(seen->call);
    }
}

void watchdog::end_queue(std::uint64_t call)
{
    if (ender_.joinable()) { // of an earlier call
        ender_.join();
    }
    try {
        ender_ = std::thread([this, call] { how_.end_queue(call); });
    } catch (const std::system_error&) { // no more threads: then the others wait
        how_.end_queue(call);
    }
}

} // namespace rankfold::detail
