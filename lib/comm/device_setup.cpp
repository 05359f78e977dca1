// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a communicator holds on its GPU: made after the path is chosen, and given back in bounded time.
#include "attempt.hpp"
#include "check.hpp"
#include "parts.hpp"

#include <algorithm>

namespace rankfold::detail {
namespace {

/// How long the end of a failed communicator may take.
constexpr double end_s = 10;

/// How long NCCL may take to set up or to end what has not failed, however short the deadline of calls is.
double unhurried(double timeout_s)
{
    return std::max(timeout_s, 60.0);
}

/// What is NCCL's.
struct nccl_parts {
    std::unique_ptr<nccl_communicator> comm;
    std::unique_ptr<peer_mailbox> peer;
    std::unique_ptr<device_gather> forward;

    void end(bool failed)
    {
        if (failed && peer) {
            peer->abort();
        }
        if (failed && forward) {
            forward->abort(end_s);
        }
        peer.reset();
        forward.reset();
        if (failed && comm) {
            comm->abort(end_s);
        }
        comm.reset();
    }
};

} // namespace

void communicator_state::set_up_device(choice_of_path& path)
{
    communicator_parts& parts = *parts_;
    device = parts.facts[static_cast<std::size_t>(rank)].device;
    const device_runtime::guard current(device);
    parts.gpu = device_runtime::query(device);
    parts.stream = device_runtime::make_stream();
    parts.rescue = device_runtime::make_stream();
    parts.failure = static_cast<failure_word*>(device_runtime::allocate(sizeof(failure_word), parts.stream));
    parts.failure_mirror = static_cast<failure_word*>(device_runtime::allocate_pinned(sizeof(failure_word)));
    if (transport == rankfold::transport::nccl || transport == rankfold::transport::peer) {
        parts.nccl =
            std::make_unique<nccl_communicator>(parts.comm, device, unhurried(parts.asked.timeout_s));
        set_up_queued(path);
    }
}

/// Peer access shows only when it is tried: mailboxes are taken where all ranks have them, else NCCL alone.
void communicator_state::set_up_queued(choice_of_path& path)
{
    communicator_parts& parts = *parts_;
    const bool tries_peer = parts.asked.transport != rankfold::transport::nccl;
    if (tries_peer && nodes == 1) {
        set_up_peer(path);
    } else if (tries_peer) {
        set_up_nodes(path);
    }
    if (!parts.peer && parts.asked.transport == rankfold::transport::peer) {
        throw_usage("communicator: transport peer is not possible here (" + path.reason +
                    "); leave RANKFOLD_TRANSPORT unset to take nccl");
    }
    if (!parts.peer) {
        transport = path.transport = rankfold::transport::nccl;
        parts.marks = std::make_unique<queue_marks>(parts.stream);
    }
    if (!parts.peer && !parts.forward) {
        parts.forward = make_nccl_gather(*parts.nccl, rank, size);
    }
    const auto ranks = static_cast<std::size_t>(size);
    parts.meeting = static_cast<slot*>(device_runtime::allocate(ranks * sizeof(slot), parts.stream));
}

mailbox_request communicator_state::ask_for_mailbox() const
{
    communicator_parts& parts = *parts_;
    return {.comm = parts.nccl->handle(),
            .mpi = parts.comm,
            .rank = rank,
            .size = size,
            .timeout_s = parts.asked.timeout_s,
            .set_up_s = unhurried(parts.asked.timeout_s),
            .stream = parts.stream};
}

void communicator_state::set_up_peer(choice_of_path& path)
{
    std::string why_not;
    parts_->peer = peer_mailbox::make(ask_for_mailbox(), why_not);
    if (parts_->peer) {
        transport = path.transport = rankfold::transport::peer;
        path.reason = "all GPUs in one NVLink domain";
    } else {
        path.reason += "; peer: " + (why_not.empty() ? "another rank cannot" : why_not);
    }
}

/// On several nodes that are alike: mailboxes within each.
void communicator_state::set_up_nodes(choice_of_path& path)
{
    communicator_parts& parts = *parts_;
    const node_layout layout = lay_out_nodes(parts.facts);
    if (layout.ranks_per_node == 0) {
        path.reason += "; nodes have different numbers of ranks";
        return;
    }
    std::string why_not;
    parts.forward = make_node_gather({.whole = *parts.nccl,
                                      .mpi = parts.comm,
                                      .layout = layout,
                                      .rank = rank,
                                      .device = device,
                                      .mailbox = ask_for_mailbox()},
                                     why_not);
    path.reason += parts.forward ? "; mailboxes within each of " + std::to_string(nodes) + " nodes"
                                 : "; mailboxes: " + (why_not.empty() ? "another rank cannot" : why_not);
}

void communicator_state::end_queue(std::uint64_t number) noexcept
{
    const call_description call = parts_->flight.call(number);
    const std::string text = timeout_text(call, parts_->progress->not_yet_in(call.number));
    parts_->failed.set(errc::timeout, text);
    record_failure(call, errc::timeout, text);
    stop_device(number, errc::timeout);
}

void communicator_state::stop_device(std::uint64_t number, errc code) noexcept
{
    communicator_parts& parts = *parts_;
    const failure_word failed{static_cast<std::uint32_t>(code), static_cast<std::uint32_t>(number)};
    try {
        device_runtime::ignore_captures();
        const device_runtime::guard current(device);
        // What is queued behind must find the word before NCCL lets it go on.
        device_runtime::copy(parts.failure, &failed, sizeof failed, parts.rescue);
        if (parts.peer) {
            parts.peer->abort();
        }
        if (parts.forward && !parts.forward->abort(end_s)) {
            parts.log.write(log_level::warn, "NCCL did not end a call that failed");
        }
    } catch (const error& problem) {
        parts.log.write(log_level::warn, problem.text());
    }
}

void communicator_state::approach_wrap(std::uint32_t calls)
{
    const device_runtime::guard current(device);
    parts_->peer->approach_wrap(calls);
}

void communicator_state::release_device(bool failed) noexcept
{
    communicator_parts& parts = *parts_;
    // Shared with the thread: what other libraries do not give back in time is left behind with it.
    const auto nccl = std::make_shared<nccl_parts>(
        nccl_parts{std::move(parts.nccl), std::move(parts.peer), std::move(parts.forward)});
    const auto end = [nccl, failed, on = device] {
        const device_runtime::guard current(on);
        nccl->end(failed);
    };
    try {
        const device_runtime::guard current(device);
        if (!returns_in_time(
                end, failed ? end_s : unhurried(parts.asked.timeout_s))) { // others may have failed alone
            parts.log.write(log_level::warn, "NCCL did not end in time; its resources are leaked");
            return; // kernels may still use the rest
        }
        parts.marks.reset();
        device_runtime::release(parts.meeting, parts.stream);
        device_runtime::release(parts.failure, parts.stream);
        device_runtime::release_pinned(parts.failure_mirror);
        device_runtime::destroy_stream(parts.stream);
        device_runtime::destroy_stream(parts.rescue);
    } catch (const error& problem) {
        parts.log.write(log_level::warn,
                        std::string("while a communicator was destroyed: ") + problem.what());
    }
}

} // namespace rankfold::detail
