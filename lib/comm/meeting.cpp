// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"
#include "parts.hpp"

#include <algorithm>

namespace rankfold::detail {

void communicator_state::meet_on_device(const call_scope& call)
{
    communicator_parts& parts = *parts_;
    device_runtime::wait_for_device(); // calls and replays that were queued before come first
    require_usable();
    const place where = place_on(parts.stream, call.number());
    std::vector<slot> slots(static_cast<std::size_t>(size));
    slot& own = slots[static_cast<std::size_t>(rank)];
    own.head.kind = call_kind::make_plan;
    const fingerprint expected = own.head;
    slot* const own_place = parts.meeting + rank;
    device_runtime::copy(own_place, &own, sizeof own, parts.stream);
    if (parts.peer) { // compares fingerprints itself
        parts.peer->run(expected, {}, where);
        return poll_stream(call.description(), parts.stream);
    }
    parts.marks->open(own_place, where);
    parts.forward->run(reinterpret_cast<const std::byte*>(own_place),
                       reinterpret_cast<std::byte*>(parts.meeting), sizeof(slot), where);
    parts.marks->close(where);
    poll_stream(call.description(), parts.stream);
    device_runtime::copy(slots.data(), parts.meeting, slots.size() * sizeof(slot), parts.stream);
    poll_stream(call.description(), parts.stream);
    if (!std::all_of(slots.begin(), slots.end(),
                     [&](const slot& s) { return same_call(s.head, expected); })) {
        raise_together(call.description(), false);
    }
}

} // namespace rankfold::detail
