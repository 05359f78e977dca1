// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the GPU tells of the exchanges that it runs, eager or replayed, without being waited for: marks before
// and after each, in host memory that the watchdog reads.
#pragma once

#include "runtime/owned_device.hpp"

#include "rankfold/exchange_mark.hpp"
#include "rankfold/operation.hpp"

#include <optional>

namespace rankfold::detail {

class queue_marks {
public:
    /// Two words of the device's, zeroed on `stream`.
    explicit queue_marks(CUstream_st* stream)
        : sequence_(1, stream), mirror_(owned_pinned<exchange_mark>::make())
    {
    }

    /// Before and after an exchange that sends `own` with this fingerprint; in stream order, capturable. @see
    /// device::exchange_mark_kernel
    void open(slot* own, const fingerprint& head, const place& where);
    void close(const place& where);

    /// An exchange that is under way on the GPU; two of the same call have different sequences. Any thread.
    [[nodiscard]] std::optional<exchange_mark> under_way() const noexcept
    {
        exchange_mark seen{};
        seen.sequence = __atomic_load_n(&mirror_.get()->sequence, __ATOMIC_ACQUIRE);
        seen.call = __atomic_load_n(&mirror_.get()->call, __ATOMIC_RELAXED);
        return seen.sequence % 2 == 1 ? std::optional(seen) : std::nullopt;
    }

private:
    owned_device_memory<std::uint32_t> sequence_;
    owned_pinned<exchange_mark> mirror_;
};

} // namespace rankfold::detail
