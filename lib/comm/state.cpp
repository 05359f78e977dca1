// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "communicator_parts.hpp"
#include "runtime/mpi_check.hpp"
#include "setup/path.hpp"
#include "setup/surroundings.hpp"
#include "transport/host_exchange.hpp"

#include <algorithm>
#include <chrono>

namespace rankfold::detail {

// ---- made and destroyed

communicator_state::communicator_state(mpi_handle handle, const communicator_options& options)
{
    const auto start = std::chrono::steady_clock::now();
    owned_comm comm = duplicate(handle);
    RANKFOLD_MPI(MPI_Comm_rank(comm.get(), &rank));
    RANKFOLD_MPI(MPI_Comm_size(comm.get(), &size));
    introduction all = introduce(comm.get(), options);
    choice_of_path path = choose_path(all.ranks);
    const rank_info& own = all.ranks[static_cast<std::size_t>(rank)];
    for (const rank_info& info : all.ranks) {
        nodes = std::max(nodes, info.node + 1);
    }
    node = own.node;
    threads = own.threads;
    backend = path.backend;
    device = on_gpu() ? own.device : -1;
    succeed_together(comm.get(), [&] {
        parts_ = std::make_unique<communicator_parts>(*this, comm.get(), std::move(all));
    });
    succeed_together(comm.get(), [&] {
        parts_->connect(path);
        transport = path.transport;
        const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
        const std::size_t held = parts_->memory.bytes() + parts_->transport->bytes();
        description = describe_table(parts_->known.ranks, path, spent.count(), held);
    });
    parts_->comm = std::move(comm);
    if (rank == 0 && !path.warning.empty()) {
        parts_->known.log->write(log_level::warn, path.warning);
    }
    if (rank == 0) {
        warn_of_surroundings(*parts_->known.log);
        parts_->known.log->write(log_level::info, description);
    }
}

communicator_state::~communicator_state()
{
    if (is_copy_of_child()) { // threads, and what MPI and CUDA hold, are the parent's
        static_cast<void>(parts_.release());
    }
}

bool communicator_state::is_copy_of_child() const noexcept
{
    return parts_->known.made_at != forks();
}

place communicator_state::place_on(CUstream_st* stream, std::uint64_t number) const noexcept
{
    return parts_->context.place_on(stream, number);
}

// ---- calls

communicator_state::call_scope::call_scope(communicator_state& comm, const call_facts& facts,
                                           const execution& where, const std::string& problem, errc code)
    : comm_(comm), stream_(where.stream)
{
    communicator_parts& parts = *comm_.parts_;
    if (!parts.ledger.try_enter()) {
        throw_usage(
            "communicator: two threads use it at once; one thread at a time, or one communicator per thread",
            comm_.rank);
    }
    try {
        comm_.require_own_process();
        parts.failure.require_usable();
        if (comm_.on_gpu()) {
            callers_device_ = device_runtime::make_current(comm_.device);
        }
    } catch (...) {
        parts.ledger.exit();
        throw;
    }
    description_ = parts.ledger.begin(facts, where, problem, code);
    description_.head.number = parts.transport->blocks() ? static_cast<std::uint32_t>(number()) : 0;
}

void communicator_state::require_own_process() const
{
    if (is_copy_of_child()) {
        throw_usage("communicator: it was made by process " + std::to_string(parts_->context.info(rank).pid) +
                        ", of which this is a child by fork; a child may destroy it, but not use it",
                    rank);
    }
}

communicator_state::call_scope::~call_scope()
{
    call_ledger& ledger = comm_.parts_->ledger;
    if (callers_device_) {
        if (stream_) {
            comm_.parts_->memory.note_queued(*stream_, number());
        }
        device_runtime::restore_current(*callers_device_);
    }
    if (std::uncaught_exceptions() > unwinding_) {
        ledger.leave(number()); // who handles the exception records why
    } else {
        ledger.leave(number(), comm_.on_gpu() ? call_outcome::queued : call_outcome::done);
    }
    ledger.exit();
}

exchange_buffers communicator_state::make_buffers(const fingerprint& head)
{
    exchange_buffers buffers;
    buffers.head = head;
    buffers.row_bytes = std::size_t{head.records} * head.record_bytes;
    const exchange_transport::layout layout = parts_->transport->layout_of(buffers.row_bytes);
    const auto ranks = static_cast<std::size_t>(size);
    buffers.slot_stride = layout.slot_stride;
    buffers.slots = backend_memory(shared_from_this(), ranks * buffers.slot_stride);
    if (layout.overflows) {
        buffers.overflow = backend_memory(shared_from_this(), ranks * buffers.row_bytes);
    }
    if (layout.needs_host) {
        buffers.host_slots.resize(ranks);
        buffers.host_overflow.resize(buffers.overflow.bytes());
    }
    return buffers;
}

std::optional<conclusion> communicator_state::conclusion_in_kernel(const call_scope& call,
                                                                   const exchange_buffers& buffers,
                                                                   const fold_task& fold) const
{
    return parts_->transport->in_kernel(call.description().head, buffers, fold);
}

void communicator_state::exchange(const call_scope& call, exchange_buffers& buffers, CUstream_st* stream)
{
    parts_->transport->exchange(call.description(), buffers, stream);
}

void communicator_state::refuse(const call_scope& call, CUstream_st* asked)
{
    const call_description& told = call.description();
    if (on_gpu() && parts_->memory.is_capturing(asked)) { // the other ranks hear of it at their replay
        parts_->failure.raise(told, errc::usage, rank, told.problem.data() + (" (" + to_text(told) + ")"),
                              false);
    }
    // The stream may be what is wrong: a kernel on another GPU's stream would run there.
    CUstream_st* const stream = why_not_stream(asked).empty() ? asked : own_stream();
    const std::size_t row_bytes = std::size_t{told.head.records} * told.head.record_bytes;
    parts_->transport->refuse(told, row_bytes, stream);
}

void communicator_state::agree(const call_facts& facts, const execution& where, const std::string& problem,
                               errc code)
{
    const call_scope agreement(*this, facts, where, problem, code);
    const armed_watchdog armed(parts_->failure.dog(), agreement.description());
    parts_->transport->meet(agreement.description());
    std::vector<slot> slots(static_cast<std::size_t>(size));
    gather_slots(parts_->for_transport(), agreement.description(), slots);
}

// ---- failure

std::uint64_t communicator_state::errors_raised() const noexcept
{
    return parts_->failure.raised();
}

void communicator_state::fail_unless_known(std::uint64_t known) noexcept
{
    if (errors_raised() != known || is_copy_of_child()) {
        return;
    }
    parts_->failure.fail_by_exception();
    if (parts_->ledger.try_enter()) { // else another thread is in a call, and will tell
        parts_->failure.tell_others();
        parts_->ledger.exit();
    }
}

void communicator_state::wait(CUstream_st* stream)
{
    if (on_gpu() && parts_->memory.is_capturing(stream)) { // an error of this rank alone, that ends nothing
        throw_usage("wait: stream is being captured, and has nothing to wait for; end the capture first",
                    rank);
    }
    run_for_user([&] { parts_->failure.wait(stream); });
}

errc communicator_state::status() const noexcept
{
    return parts_->failure.status();
}

void communicator_state::abort() noexcept
{
    parts_->failure.abort();
}

void communicator_state::write_flight_record(const std::string& path) const
{
    parts_->ledger.write(path, "asked for");
}

void communicator_state::approach_wrap(std::uint32_t calls)
{
    parts_->transport->approach_wrap(calls);
}

} // namespace rankfold::detail
