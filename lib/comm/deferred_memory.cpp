// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "deferred_memory.hpp"

#include <algorithm>
#include <limits>

namespace rankfold::detail {

void deferred_memory::queued(std::uint64_t stream, std::uint64_t number)
{
    const std::lock_guard lock(mutex_);
    last_ = number;
    const bool known =
        std::any_of(queues_.begin(), queues_.end(), [&](const queue& q) { return q.stream == stream; });
    if (!known) {
        queues_.push_back({stream, number});
    }
}

void deferred_memory::ended(std::uint64_t stream) noexcept
{
    const std::lock_guard lock(mutex_);
    std::erase_if(queues_, [&](const queue& q) { return q.stream == stream; });
}

void deferred_memory::all_ended() noexcept
{
    const std::lock_guard lock(mutex_);
    queues_.clear();
}

bool deferred_memory::may_run() const noexcept
{
    const std::lock_guard lock(mutex_);
    return !queues_.empty();
}

bool deferred_memory::keep(void* memory)
{
    const std::lock_guard lock(mutex_);
    if (!queues_.empty()) {
        kept_.push_back({memory, last_});
    }
    return !queues_.empty();
}

bool deferred_memory::keeps_any() const noexcept
{
    const std::lock_guard lock(mutex_);
    return !kept_.empty();
}

std::vector<void*> deferred_memory::take_free()
{
    const std::lock_guard lock(mutex_);
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    for (const queue& q : queues_) {
        first = std::min(first, q.first);
    }
    std::vector<void*> free;
    free.reserve(kept_.size());
    std::erase_if(kept_, [&](const kept& k) {
        if (k.last < first) {
            free.push_back(k.memory);
        }
        return k.last < first;
    });
    return free;
}

} // namespace rankfold::detail
