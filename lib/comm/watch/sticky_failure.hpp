// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Why a communicator takes no more calls. The first reason stays.
#pragma once

#include "watch/failure_notice.hpp"

#include <atomic>
#include <mutex>
#include <string>

namespace rankfold::detail {

/// Any thread.
class sticky_failure {
public:
    /// @return true if this is the first
    bool set(const failure_notice& why, std::string text)
    {
        const std::lock_guard lock(mutex_);
        if (is_set()) {
            return false;
        }
        why_ = why;
        text_ = std::move(text);
        code_.store(why.code, std::memory_order_release);
        return true;
    }
    /// True for the first who asks: the user has not heard of it yet.
    [[nodiscard]] bool tell() noexcept { return !told_.exchange(true); }
    [[nodiscard]] errc code() const noexcept { return code_.load(std::memory_order_acquire); }
    [[nodiscard]] bool is_set() const noexcept { return code() != errc::success; }
    /// As other ranks are told of it.
    [[nodiscard]] failure_notice notice() const
    {
        const std::lock_guard lock(mutex_);
        return why_;
    }
    [[nodiscard]] std::string text() const
    {
        const std::lock_guard lock(mutex_);
        return text_;
    }

private:
    std::atomic<errc> code_{errc::success};
    std::atomic<bool> told_{false};
    mutable std::mutex mutex_;
    failure_notice why_;
    std::string text_;
};

} // namespace rankfold::detail
