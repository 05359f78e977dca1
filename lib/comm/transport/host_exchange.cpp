// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/host_exchange.hpp"

#include "runtime/tags.hpp"
#include "transport/host_gather.hpp"
#include "watch/failure.hpp"

#include <algorithm>
#include <cstring>

namespace rankfold::detail {

void gather_slots(const transport_context& context, const call_description& call, std::span<slot> slots)
{
    slots[static_cast<std::size_t>(context.comm.self.rank)].head = call.head;
    const auto mark = [](std::byte* block) {
        slot missing{};
        missing.head.error = static_cast<std::uint8_t>(errc::timeout);
        std::memcpy(block, &missing, sizeof missing);
    };
    const bool complete = context.comm.gather.run(reinterpret_cast<std::byte*>(slots.data()), sizeof(slot),
                                                  tag_slots, context.failure.dog(), mark);
    if (!complete) {
        std::vector<int> missing;
        for (std::size_t r = 0; r < slots.size(); ++r) {
            if (slots[r].head.error == static_cast<std::uint8_t>(errc::timeout)) {
                missing.push_back(static_cast<int>(r));
            }
        }
        context.failure.raise_timeout(call, missing);
    }
    const bool agreed = std::all_of(slots.begin(), slots.end(), [&](const slot& s) {
        return s.head.error == 0 && same_call(s.head, call.head);
    });
    if (!agreed) {
        context.failure.raise_together(call, true);
    }
}

void gather_rows(const transport_context& context, const call_description& call, std::byte* rows,
                 std::size_t row_bytes)
{
    std::vector<int> missing;
    const auto mark = [&](std::byte* row) {
        missing.push_back(static_cast<int>((row - rows) / static_cast<std::ptrdiff_t>(row_bytes)));
    };
    if (!context.comm.gather.run(rows, row_bytes, tag_overflow, context.failure.dog(), mark)) {
        context.failure.raise_timeout(call, missing);
    }
}

} // namespace rankfold::detail
