// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The waits of a communicator, and what ends them.
#include "comm/error.hpp"
#include "memory_space.hpp"
#include "transport/host_gather.hpp"
#include "transport/transport.hpp"
#include "watch/call_ledger.hpp"
#include "watch/failure.hpp"

namespace rankfold::detail {
namespace {

constexpr std::uint64_t polls_between_looks = 256;
/// After another rank has failed the device has this long to find out why by itself.
constexpr std::chrono::seconds grace{1};

} // namespace

void failure_handler::watch(exchange_transport& transport)
{
    transport_ = &transport;
    dog_ = std::make_unique<watchdog>(
        comm_.asked.warn_s, comm_.asked.timeout_s, comm_.log,
        watchdog::hooks{
            .waiting_for = [this](std::uint64_t call) { return waiting_for(call); },
            .under_way = [this] { return transport_->under_way(); },
            .call = [this](std::uint64_t number) { return comm_.ledger.call(number); },
            .end_queue = [this](std::uint64_t call) { end_queue(call); },
        });
}

std::string failure_handler::waiting_for(std::uint64_t call) const
{
    const bool in_mpi = transport_->blocks();
    std::string ranks;
    for (const int r : in_mpi ? comm_.gather.waiting_for() : comm_.ledger.not_yet_in(call)) {
        ranks += (ranks.empty() ? "" : ", ") + who(r);
    }
    return !ranks.empty() ? ranks : in_mpi ? "its own messages to leave" : "the GPU";
}

void failure_handler::poll(const call_description& call, CUstream_st* stream)
{
    std::optional<watchdog::clock::time_point> others_failed;
    for (std::uint64_t polls = 1; !device_runtime::finished(stream); ++polls) {
        if (polls % polls_between_looks == 0 || dog_->expired()) {
            look_around(call, others_failed);
        }
    }
    comm_.memory.note_ended(stream);
    if (comm_.memory.reported().code != 0) {
        raise_device_failure();
    }
    comm_.ledger.complete(stream);
}

/// Why the wait for `call` or one before it should end. @throws error if there is a reason
/// @param others_failed  since when it is known that another rank has failed
void failure_handler::look_around(const call_description& call,
                                  std::optional<watchdog::clock::time_point>& others_failed)
{
    if (failed_.is_set()) { // by abort, or by the watchdog
        raise(call, failed_.code(), -1, failed_.text(), true);
    }
    if (const char* problem = transport_->asynchronous_error()) {
        raise(call, errc::backend, comm_.self.rank,
              "NCCL failed during call " + std::to_string(call.number) + ": " + problem, true);
    }
    const auto open = transport_->under_way();
    const call_description late = open ? comm_.ledger.call(open->call) : call;
    if (dog_->expired()) {
        end_queue(late.number);
        raise_timeout(late, missing_from(late));
    }
    if (!others_failed && notices_.others_have_failed(late.number)) {
        others_failed = watchdog::clock::now();
    }
    if (others_failed && watchdog::clock::now() - *others_failed > grace) {
        stop_device(late.number, errc::failed);
        raise_together(late, false);
    }
}

void failure_handler::finish(const call_description& call, CUstream_st* stream)
{
    if (comm_.self.on_gpu()) {
        const armed_watchdog armed(*dog_, call);
        poll(call, stream);
    }
}

void failure_handler::wait_for_gpu(const call_description& call)
{
    if (!comm_.memory.device_ends(comm_.asked.timeout_s)) {
        raise(call, errc::timeout, comm_.self.rank,
              "the GPU did not end what it was given before " + what_of(call) + ", within " +
                  std::to_string(comm_.asked.timeout_s) +
                  " s; or a stream of it is being captured, when no plan can be made",
              true);
    }
    require_usable();
}

void failure_handler::wait(CUstream_st* stream)
{
    if (comm_.self.on_gpu() && comm_.memory.is_capturing(stream)) {
        throw_usage("wait: stream is being captured, and has nothing to wait for; end the capture first",
                    comm_.self.rank);
    }
    if (failed_.is_set()) {
        require_usable();
    }
    if (comm_.self.on_gpu()) {
        const device_runtime::guard current(comm_.self.device);
        finish(comm_.ledger.last(), stream);
    }
}

void failure_handler::end_queue(std::uint64_t number) noexcept
{
    const call_description call = comm_.ledger.call(number);
    const std::string text = timeout_text(call, comm_.ledger.not_yet_in(call.number));
    failed_.set(errc::timeout, text);
    comm_.ledger.fail(call.number, errc::timeout, text);
    stop_device(number, errc::timeout);
}

void failure_handler::stop_device(std::uint64_t number, errc code) noexcept
{
    try {
        // What is queued behind must find the word before NCCL lets it go on.
        comm_.memory.tell_kernels({static_cast<std::uint32_t>(code), static_cast<std::uint32_t>(number)});
        const device_runtime::guard current(comm_.self.device);
        if (!transport_->abort(end_s)) {
            comm_.log.write(log_level::warn, "NCCL did not end a call that failed");
        }
    } catch (const error& problem) {
        comm_.log.write(log_level::warn, problem.text());
    }
}

} // namespace rankfold::detail
