// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that is given up while calls may still work on it. A call is known to have ended when its stream was
// waited for; no event is recorded behind it, which would keep the next launch from overlapping with its end,
// and no stream is touched later, which its owner may have destroyed.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

namespace rankfold::detail {

/// Any thread.
class deferred_memory {
public:
    deferred_memory() { queues_.reserve(16); }

    /// The last of all calls so far, `number`, was queued on `stream`.
    void queued(std::uint64_t stream, std::uint64_t number);
    /// Whatever was queued on `stream` has ended.
    void ended(std::uint64_t stream) noexcept;
    /// Whatever was queued anywhere has ended.
    void all_ended() noexcept;
    [[nodiscard]] bool may_run() const noexcept;

    /// True: kept until the calls so far have ended. False where none of them may run: the memory is free.
    /// @throws std::bad_alloc
    [[nodiscard]] bool keep(void* memory);
    [[nodiscard]] bool keeps_any() const noexcept;
    /// What is free meanwhile; it belongs to the caller.
    [[nodiscard]] std::vector<void*> take_free();

private:
    struct queue {
        std::uint64_t stream;
        std::uint64_t first; ///< of the calls that may run, by number
    };
    struct kept {
        void* memory;
        std::uint64_t last; ///< of the calls that may use it
    };
    mutable std::mutex mutex_;
    std::vector<queue> queues_;
    std::vector<kept> kept_;
    std::uint64_t last_ = 0;
};

} // namespace rankfold::detail
