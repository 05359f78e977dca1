// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The one thread that looks after the waits of all communicators of a process. It is there while one of them
// is.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace rankfold::detail {

/// What the thread looks at.
class watched {
public:
    /// The longest time between two looks.
    [[nodiscard]] virtual std::chrono::steady_clock::duration period() const noexcept = 0;
    /// On the watching thread. Short: others wait for their turn.
    virtual void look() noexcept = 0;

protected:
    ~watched() = default;
};

class watch_thread {
public:
    /// The thread of this process, which is started unless it runs.
    /// @throws error (backend, of origin system) if the system refuses another thread
    [[nodiscard]] static std::shared_ptr<watch_thread> of_process();

    watch_thread();
    /// Returns when the thread has ended, which does not take a period.
    ~watch_thread();
    watch_thread(const watch_thread&) = delete;
    watch_thread& operator=(const watch_thread&) = delete;

    void add(watched& one);
    /// Nobody looks at `one` when this returns.
    void remove(const watched& one) noexcept;

private:
    void run();
    [[nodiscard]] std::chrono::steady_clock::duration shortest_period() const noexcept;

    std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<watched*> all_;
    bool stop_ = false;
    bool changed_ = false;
    std::thread thread_;
};

} // namespace rankfold::detail
