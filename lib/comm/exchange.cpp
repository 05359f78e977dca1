// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls and their exchange of slots, over MPI (host memory) and NCCL (device memory, in stream order).
#include "check.hpp"
#include "parts.hpp"

#include <algorithm>
#include <cstring>

namespace rankfold::detail {

// ---- calls

communicator_state::call_scope::call_scope(communicator_state& comm, const call_facts& facts,
                                           const execution& where, const std::string& problem)
    : comm_(comm)
{
    if (comm_.in_call_.exchange(true, std::memory_order_acquire)) {
        throw_usage(
            "communicator: two threads use it at once; one thread at a time, or one communicator per thread",
            comm_.rank);
    }
    try {
        comm_.require_usable();
        if (comm_.on_gpu()) {
            callers_device_ = device_runtime::make_current(comm_.device);
        }
    } catch (...) {
        comm_.in_call_.store(false, std::memory_order_release);
        throw;
    }
    description_ = describe_call(++comm_.calls_, facts, where, problem);
    description_.head.error = static_cast<std::uint8_t>(problem.empty() ? errc::success : errc::usage);
    comm_.parts_->progress->enter(description_.number);
    comm_.parts_->flight.begin(description_, where.stream.value_or(nullptr));
    if (comm_.parts_->log.enabled(log_level::trace)) {
        comm_.parts_->log.write(log_level::trace,
                                "call " + std::to_string(description_.number) + ": " + to_text(description_));
    }
}

communicator_state::call_scope::~call_scope()
{
    if (callers_device_) {
        device_runtime::restore_current(*callers_device_);
    }
    comm_.leave(description_, std::uncaught_exceptions() > unwinding_);
    comm_.in_call_.store(false, std::memory_order_release);
}

// ---- areas

exchange_area communicator_state::make_area(const fingerprint& head)
{
    exchange_area area;
    area.head = head;
    area.row_bytes = std::size_t{head.records} * head.record_bytes;
    const auto ranks = static_cast<std::size_t>(size);
    const bool fits = area.row_bytes <= slot_payload_bytes;
    if (!fits && transport == rankfold::transport::peer) { // one message of any length that the mailbox takes
        area.slot_stride = sizeof(fingerprint) + (area.row_bytes + 15) / 16 * 16;
    }
    area.slots = backend_memory(shared_from_this(), (ranks + 1) * area.slot_stride);
    if (!fits && transport != rankfold::transport::peer) {
        area.wide = backend_memory(shared_from_this(), ranks * area.row_bytes);
    }
    if (transport == rankfold::transport::mpi) {
        area.host_slots.resize(on_gpu() ? ranks : 0);
        area.host_wide.resize(on_gpu() ? area.wide.bytes() : 0);
    }
    slot own{};
    own.head = head;
    copy(area.slot_of(rank), &own, sizeof own, own_stream());
    own.head.error = static_cast<std::uint8_t>(errc::usage);
    copy(area.slot_of(size), &own, sizeof own, own_stream()); // the error slot stands behind the last rank's
    return area;
}

// ---- exchange

std::optional<conclusion> communicator_state::conclusion_in_kernel(const exchange_area& area,
                                                                   const fold_task& fold) const
{
    const bool alone = transport == rankfold::transport::self;
    if (!on_gpu() || !(alone || transport == rankfold::transport::peer)) {
        return {};
    }
    return conclusion{.mail = alone ? device::mailbox_view{} : parts_->peer->view(),
                      .head = area.head,
                      .received = area.records_of(0),
                      .fold = fold};
}

void communicator_state::exchange(const call_scope& call, exchange_area& area, CUstream_st* stream)
{
    switch (transport) {
    case rankfold::transport::self:
        return;
    case rankfold::transport::mpi:
        return exchange_over_mpi(call, area, stream);
    case rankfold::transport::nccl:
        return exchange_over_nccl(call, area, area.slot_of(rank), stream);
    case rankfold::transport::peer: // always in a kernel
    case rankfold::transport::automatic:
        break;
    }
    throw_usage("exchange: transport " + std::string(to_string(transport)) + " was never set up", rank);
}

void communicator_state::refuse(const call_scope& call, exchange_area& area, CUstream_st* asked)
{
    // The stream may be what is wrong: a kernel on another GPU's stream would run there.
    CUstream_st* const stream = why_not_stream(asked).empty() ? asked : own_stream();
    const place where = place_on(stream, call.number());
    switch (transport) {
    case rankfold::transport::self:
        raise_together(call.description(), true);
    case rankfold::transport::mpi:
        return exchange_over_mpi(call, area, stream);
    case rankfold::transport::nccl:
        exchange_over_nccl(call, area, area.slot_of(size), stream);
        break;
    case rankfold::transport::peer:
        parts_->peer->run(call.description().head, {}, where);
        break;
    case rankfold::transport::automatic:
        break;
    }
    finish(call, stream); // the error slot has left: the others will find it
    raise_together(call.description(), false);
}

void communicator_state::exchange_over_mpi(const call_scope& call, exchange_area& area, CUstream_st* stream)
{
    const armed_watchdog armed(*parts_->dog, call.description());
    const auto own_row = static_cast<std::size_t>(rank) * area.row_bytes;
    if (!on_gpu()) {
        gather_slots(call, {area.slot_of(0), static_cast<std::size_t>(size)});
        if (area.wide.data() != nullptr) {
            gather_rows(call, area.records_of(0), area.row_bytes);
        }
        return;
    }
    slot* slots = area.host_slots.data();
    copy(slots + rank, area.slot_of(rank), sizeof(slot), stream);
    if (area.wide.data() != nullptr) {
        copy(area.host_wide.data() + own_row, area.records_of(rank), area.row_bytes, stream);
    }
    poll_stream(call.description(), stream);
    gather_slots(call, area.host_slots);
    copy(area.slot_of(0), slots, area.host_slots.size() * sizeof(slot), stream);
    if (area.wide.data() != nullptr) {
        gather_rows(call, area.host_wide.data(), area.row_bytes);
        copy(area.records_of(0), area.host_wide.data(), area.host_wide.size(), stream);
    }
}

void communicator_state::gather_slots(const call_scope& call, std::span<slot> slots)
{
    slots[static_cast<std::size_t>(rank)].head = call.description().head;
    const auto mark = [](std::byte* block) {
        slot missing{};
        missing.head.error = static_cast<std::uint8_t>(errc::timeout);
        std::memcpy(block, &missing, sizeof missing);
    };
    const bool complete = parts_->gather->run(reinterpret_cast<std::byte*>(slots.data()), sizeof(slot),
                                              tag_slots, *parts_->dog, mark);
    if (!complete) {
        std::vector<int> missing;
        for (int r = 0; r < size; ++r) {
            if (slots[static_cast<std::size_t>(r)].head.error == static_cast<std::uint8_t>(errc::timeout)) {
                missing.push_back(r);
            }
        }
        raise_timeout(call.description(), missing);
    }
    const bool agreed = std::all_of(slots.begin(), slots.end(), [&](const slot& s) {
        return s.head.error == 0 && same_call(s.head, call.description().head);
    });
    if (!agreed) {
        raise_together(call.description(), true);
    }
}

void communicator_state::gather_rows(const call_scope& call, std::byte* rows, std::size_t row_bytes)
{
    std::vector<int> missing;
    const auto mark = [&](std::byte* row) {
        missing.push_back(static_cast<int>((row - rows) / static_cast<std::ptrdiff_t>(row_bytes)));
    };
    if (!parts_->gather->run(rows, row_bytes, tag_wide, *parts_->dog, mark)) {
        raise_timeout(call.description(), missing);
    }
}

/// Rows that do not fit a slot go in rounds of one slot each: every message of the communicator has the same
/// size, whatever is called. An error slot goes as many rounds as the others of its call, which cannot know.
void communicator_state::exchange_over_nccl(const call_scope& call, exchange_area& area, slot* own,
                                            CUstream_st* stream)
{
    const place where = place_on(stream, call.number());
    const bool in_slots = area.wide.data() == nullptr;
    parts_->marks->open(own, where);
    std::size_t done = 0;
    do {
        const std::size_t part = std::min(slot_payload_bytes, area.row_bytes - done);
        if (!in_slots) {
            copy(own->payload, area.records_of(rank) + done, part, stream);
        }
        parts_->forward->run(reinterpret_cast<const std::byte*>(own),
                             reinterpret_cast<std::byte*>(area.slot_of(0)), sizeof(slot), where);
        if (!in_slots) {
            device_runtime::copy_rows(area.records_of(0) + done, area.row_bytes, area.slot_of(0)->payload,
                                      sizeof(slot), part, static_cast<std::size_t>(size), stream);
        }
        done += part;
    } while (done < area.row_bytes);
    parts_->marks->close(where);
}

void communicator_state::agree(const call_facts& facts, const execution& where, const std::string& problem)
{
    const call_scope agreement(*this, facts, where, problem);
    const armed_watchdog armed(*parts_->dog, agreement.description());
    if (transport == rankfold::transport::peer || transport == rankfold::transport::nccl) {
        meet_on_device(agreement);
    }
    std::vector<slot> slots(static_cast<std::size_t>(size));
    gather_slots(agreement, slots);
}

} // namespace rankfold::detail
