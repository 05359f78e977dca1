// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/host_exchange.hpp"

#include "runtime/tags.hpp"
#include "transport/host_gather.hpp"
#include "watch/failure.hpp"

#include <algorithm>

namespace rankfold::detail {

namespace {

/// @throws error where the gather ended otherwise than by success
void gather(const transport_context& context, const call_description& call, std::byte* blocks,
            std::size_t bytes, int tag)
{
    failure_handler::guard guard(context.failure, call);
    switch (context.comm.gather.run(blocks, bytes, tag, guard)) {
    case wait_guard::verdict::go_on:
        return context.failure.require_no_news();
    case wait_guard::verdict::late:
        context.failure.raise_timeout(call, context.comm.gather.missing());
    case wait_guard::verdict::ended:
        guard.raise();
    }
}

} // namespace

void gather_slots(const transport_context& context, const call_description& call, std::span<slot> slots)
{
    slots[static_cast<std::size_t>(context.comm.self.rank)].head = call.head;
    gather(context, call, reinterpret_cast<std::byte*>(slots.data()), sizeof(slot), tag_slots);
    const bool agreed = std::all_of(slots.begin(), slots.end(), [&](const slot& s) {
        return s.head.error == 0 && same_call(s.head, call.head);
    });
    if (!agreed) {
        context.failure.raise_together(call, true, errc::success, slots);
    }
}

void gather_rows(const transport_context& context, const call_description& call, std::byte* rows,
                 std::size_t row_bytes)
{
    gather(context, call, rows, row_bytes, tag_overflow);
}

} // namespace rankfold::detail
