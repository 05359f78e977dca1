// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators of one process whose kernels wait for other ranks, by GPU. Of two, neither may fill the GPU
// while it waits: on another rank the other one may be first, and neither would find room.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>

namespace rankfold::detail {

/// One of them, from its construction on. Any thread.
class company {
public:
    explicit company(int device) noexcept : members_(members_on(device)) { ++members_; }
    ~company() { --members_; }
    company(const company&) = delete;
    company& operator=(const company&) = delete;

    [[nodiscard]] bool has_others() const noexcept { return members_ > 1; }

private:
    static std::atomic<int>& members_on(int device) noexcept
    {
        static std::array<std::atomic<int>, 64> members{}; // GPUs beyond share the last
        return members[std::min(static_cast<std::size_t>(device), members.size() - 1)];
    }
    std::atomic<int>& members_;
};

} // namespace rankfold::detail
