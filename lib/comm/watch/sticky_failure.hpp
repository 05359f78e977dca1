// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Why a communicator takes no more calls. The first reason stays.
#pragma once

#include "rankfold/error.hpp"

#include <atomic>
#include <mutex>
#include <string>

namespace rankfold::detail {

/// Any thread.
class sticky_failure {
public:
    void set(errc code, const std::string& text)
    {
        const std::lock_guard lock(mutex_);
        if (code_.load(std::memory_order_relaxed) == errc::success) {
            text_ = text;
            code_.store(code, std::memory_order_release);
        }
    }
    /// True for the first who asks: the user has not heard of it yet.
    [[nodiscard]] bool tell() noexcept { return !told_.exchange(true); }
    [[nodiscard]] errc code() const noexcept { return code_.load(std::memory_order_acquire); }
    [[nodiscard]] bool is_set() const noexcept { return code() != errc::success; }
    [[nodiscard]] std::string text() const
    {
        const std::lock_guard lock(mutex_);
        return text_;
    }

private:
    std::atomic<errc> code_{errc::success};
    std::atomic<bool> told_{false};
    mutable std::mutex mutex_;
    std::string text_;
};

} // namespace rankfold::detail
