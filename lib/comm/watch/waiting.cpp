// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The waits of a communicator, and what ends them.
#include "memory_space.hpp"
#include "transport/host_gather.hpp"
#include "transport/transport.hpp"
#include "watch/call_ledger.hpp"
#include "watch/failure.hpp"

#include <algorithm>

namespace rankfold::detail {
namespace {

/// What a lost rank has sent before may come for so long.
constexpr std::chrono::milliseconds grace_of_lost{300};
/// After another rank has found calls to differ the device has this long to find out by itself.
constexpr std::chrono::seconds grace_of_device{1};

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

// ---- what ends a wait

std::vector<int> failure_handler::awaited() const
{
    std::vector<int> ranks = comm_.gather.waiting_for();
    if (ranks.empty() && !transport_->blocks()) {
        for (int r = 0; r < comm_.self.size; ++r) {
            ranks.push_back(r);
        }
    }
    return ranks;
}

wait_guard::verdict failure_handler::guard::ask()
{
    if (failure_.listen(false)) {
        return verdict::ended;
    }
    if (failure_.dog_->expired()) { // a rank that was stopped itself: the others' reason came first
        return failure_.listen_closely() ? verdict::ended : verdict::late;
    }
    if (++polls_ % polls_between_looks != 0) {
        return verdict::go_on;
    }
    if (failure_.listen(true)) {
        return verdict::ended;
    }
    const auto now = watchdog::clock::now();
    if (now < next_look_) {
        return verdict::go_on;
    }
    next_look_ = now + look_period;
    lost_ = failure_.comm_.ledger.lost_of(failure_.awaited(), call_.number);
    if (lost_.empty()) {
        lost_since_.reset();
    } else if (!lost_since_) {
        lost_since_ = now;
    }
    // What a rank sent before it was lost may be under way, or why it was.
    return lost_since_ && now - *lost_since_ > grace_of_lost ? verdict::ended : verdict::go_on;
}

void failure_handler::guard::extend()
{
    failure_.dog_->extend(std::max(1.0, failure_.dog_->timeout_s() / 10));
}

void failure_handler::guard::raise()
{
    if (failure_.failed_.is_set()) {
        failure_.raise_first();
    }
    failure_.raise(call_, errc::timeout, lost_.front(),
                   "call " + std::to_string(call_.number) + " (" + to_text(call_) + ") cannot be completed" +
                       failure_.missing_text(lost_),
                   true);
}

// ---- streams

void failure_handler::poll(const call_description& call, CUstream_st* stream)
{
    guard wait(*this, call);
    std::optional<watchdog::clock::time_point> others_failed;
    while (!device_runtime::finished(stream)) {
        look_around(call, wait, others_failed);
    }
    comm_.memory.note_ended(stream);
    if (comm_.memory.reported().code != 0) {
        raise_device_failure();
    }
    comm_.ledger.complete(stream);
}

/// @throws error if the wait for `call` or one before it should end
/// @param others_failed  since when it is known that another rank found calls to differ
void failure_handler::look_around(const call_description& call, guard& wait,
                                  std::optional<watchdog::clock::time_point>& others_failed)
{
    const wait_guard::verdict found = wait.ask();
    if (found == wait_guard::verdict::go_on && !wait.has_looked()) {
        return;
    }
    if (const char* problem = transport_->asynchronous_error()) {
        raise(call, errc::backend, comm_.self.rank,
              "NCCL failed during call " + std::to_string(call.number) + ": " + problem, true);
    }
    const auto open = transport_->under_way();
    const call_description late = open ? comm_.ledger.call(open->call) : call;
    if (found == wait_guard::verdict::late) {
        end_queue(late.number);
        raise_timeout(late, missing_from(late));
    }
    if (found == wait_guard::verdict::ended) {
        stop_device(late.number, errc::failed);
        wait.raise();
    }
    if (!others_failed && !transport_->blocks() && notices_.others_have_described(late.number)) {
        others_failed = watchdog::clock::now();
    }
    if (others_failed && watchdog::clock::now() - *others_failed > grace_of_device) {
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
    const std::vector<int> missing = comm_.ledger.not_yet_in(call.number);
    const std::string text = timeout_text(call, missing);
    fail(call, errc::timeout, missing.empty() ? -1 : missing.front(), text);
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
