// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waits, and how a failure is told: to the user with names, to the other ranks with a description of the
// call.
#include "check.hpp"
#include "farewell.hpp"
#include "parts.hpp"

#include <algorithm>
#include <chrono>

namespace rankfold::detail {
namespace {

constexpr std::uint64_t polls_between_looks = 256;
/// After another rank has failed the device has this long to find out why by itself.
constexpr std::chrono::seconds grace{1};

std::uint32_t code_in(const failure_word* mirror)
{
    return mirror ? __atomic_load_n(&mirror->code, __ATOMIC_ACQUIRE) : 0;
}

/// The problems of the ranks that have one, in words; empty if none has.
std::string problems_in(const descriptions& calls)
{
    std::string text;
    for (std::size_t r = 0; r < calls.size(); ++r) {
        if (calls[r] && calls[r]->problem[0] != '\0') {
            text += (text.empty() ? "" : "; ") + std::string("rank ") + std::to_string(r) + ": " +
                    calls[r]->problem.data() + " (" + to_text(*calls[r]) + ")";
        }
    }
    return text;
}

} // namespace

std::string communicator_state::who(int r) const
{
    const rank_facts& facts = parts_->facts[static_cast<std::size_t>(r)];
    const std::string news = parts_->progress->tell(r);
    return "rank " + std::to_string(r) + " (process " + std::to_string(facts.pid) + " on " +
           facts.host.data() + (news.empty() ? "" : ": " + news) + ")";
}

std::string communicator_state::waiting_for(std::uint64_t call) const
{
    const bool in_mpi = transport == rankfold::transport::mpi;
    std::string ranks;
    for (const int r : in_mpi ? parts_->gather->waiting_for() : parts_->progress->not_yet_in(call)) {
        ranks += (ranks.empty() ? "" : ", ") + who(r);
    }
    return !ranks.empty() ? ranks : in_mpi ? "its own messages to leave" : "the GPU";
}

void communicator_state::raise(const call_description& call, errc code, int at_rank, const std::string& text,
                               bool sticky)
{
    if (sticky) {
        parts_->failed.set(code, text);
        static_cast<void>(parts_->failed.tell());
    }
    record_failure(call, code, text);
    throw error(code, code == errc::backend ? error_origin::system : error_origin::usage, 0, at_rank, text);
}

void communicator_state::raise_together(const call_description& call, bool in_step, errc found)
{
    // Ranks that all throw from the same call can go on; where later calls were queued already they cannot.
    const bool sticky = !in_step;
    call_description mine = call;
    if (found != errc::success) {
        mine.head.error =
            static_cast<std::uint8_t>(found); // overlap on one rank can be a mismatch on another
    }
    const auto calls = exchange_descriptions(*parts_, rank, size, mine);
    if (const std::string problems = problems_in(calls); !problems.empty()) {
        const auto bad = std::find_if(calls.begin(), calls.end(),
                                      [](const auto& c) { return c && c->problem[0] != '\0'; });
        raise(call, errc::usage, static_cast<int>(bad - calls.begin()), problems, sticky);
    }
    if (std::any_of(calls.begin(), calls.end(), [](const auto& c) {
            return c && c->head.error == static_cast<std::uint8_t>(errc::busy);
        })) {
        raise(call, errc::busy, -1,
              "calls of one communicator overlapped on the GPU of a rank (" + to_text(call) +
                  "): order them by one stream or by events, or take a communicator for each stream",
              sticky);
    }
    if (found == errc::usage) { // by the fold, alike on all ranks
        raise(call, errc::usage, -1, std::string(empty_array_text) + " (" + to_text(call) + ")", sticky);
    }
    std::string text = "ranks made different calls (call " + std::to_string(call.number) + "):";
    for (int r = 0; r < size; ++r) {
        const auto& theirs = calls[static_cast<std::size_t>(r)];
        text += "\n  " +
                (theirs ? "rank " + std::to_string(r) + ": " + to_text(*theirs) : who(r) + ": did not say");
    }
    raise(call, errc::mismatch, -1, text, sticky);
}

std::string communicator_state::timeout_text(const call_description& call,
                                             const std::vector<int>& missing) const
{
    std::string text = "call " + std::to_string(call.number) + " (" + to_text(call) +
                       ") was not completed within " + std::to_string(parts_->asked.timeout_s) + " s";
    for (const int r : missing) {
        text += (r == missing.front() ? "; missing: " : ", ") + who(r);
    }
    return text;
}

void communicator_state::raise_timeout(const call_description& call, const std::vector<int>& missing)
{
    raise(call, errc::timeout, missing.empty() ? -1 : missing.front(), timeout_text(call, missing), true);
}

void communicator_state::require_usable()
{
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (finalised) {
        throw_usage("communicator: MPI_Finalize was called already; a communicator takes no calls after it",
                    rank);
    }
    if (!parts_->failed.is_set() && code_in(parts_->failure_mirror) != 0) {
        raise_device_failure();
    }
    if (parts_->failed.is_set()) {
        if (parts_->failed.tell()) { // by the watchdog, while nobody waited
            throw error(parts_->failed.code(), error_origin::usage, 0, rank, parts_->failed.text());
        }
        throw error(errc::failed, error_origin::usage, 0, rank,
                    "the communicator failed before and takes no more calls: " + parts_->failed.text());
    }
    int main_thread = 1;
    if (parts_->main_thread_only) {
        RANKFOLD_MPI(MPI_Is_thread_main(&main_thread));
    }
    if (!main_thread) {
        throw_usage("communicator: called from another thread than the one that initialised MPI, which gave "
                    "less than "
                    "MPI_THREAD_SERIALIZED",
                    rank);
    }
}

void communicator_state::raise_device_failure()
{
    const std::uint32_t number = __atomic_load_n(&parts_->failure_mirror->call, __ATOMIC_ACQUIRE);
    const call_description known = parts_->flight.call(number);
    const auto code = static_cast<errc>(code_in(parts_->failure_mirror));
    if (code == errc::failed) {
        const std::string ours = parts_->failed.text();
        raise(known, code, -1,
              ours.empty() ? "another rank failed before it came to call " + std::to_string(number) + " (" +
                                 to_text(known) + ")"
                           : ours,
              true);
    }
    if (code == errc::timeout) {
        raise_timeout(known, missing_from(known));
    }
    raise_together(known, false, code);
}

/// Of a call that was not completed on the device: the ranks whose slots have not come, else those that have
/// not called, else those that do not answer.
std::vector<int> communicator_state::missing_from(const call_description& call)
{
    std::vector<int> missing;
    if (parts_->peer) {
        missing = parts_->peer->missing();
    } else if (parts_->forward) {
        missing = parts_->forward->missing();
    }
    if (missing.empty()) {
        missing = parts_->progress->not_yet_in(call.number);
    }
    if (missing.empty() && nodes > 1) {
        const descriptions calls = exchange_descriptions(*parts_, rank, size, call);
        for (int r = 0; r < size; ++r) {
            if (!calls[static_cast<std::size_t>(r)]) {
                missing.push_back(r);
            }
        }
    }
    return missing;
}

void communicator_state::poll_stream(const call_description& call, CUstream_st* stream)
{
    std::optional<watchdog::clock::time_point> heard;
    for (std::uint64_t polls = 1; !device_runtime::finished(stream); ++polls) {
        if (polls % polls_between_looks == 0 || parts_->dog->expired()) {
            look_around(call, heard);
        }
    }
    if (code_in(parts_->failure_mirror) != 0) {
        raise_device_failure();
    }
    parts_->flight.complete(stream);
}

/// Why the wait for `call` or one before it should end. @throws error if there is a reason
/// @param heard  since when it is known that another rank has failed
void communicator_state::look_around(const call_description& call,
                                     std::optional<watchdog::clock::time_point>& heard)
{
    if (parts_->failed.is_set()) { // by abort, or by the watchdog
        raise(call, parts_->failed.code(), -1, parts_->failed.text(), true);
    }
    if (const char* problem = parts_->nccl ? parts_->nccl->asynchronous_error() : nullptr) {
        raise(call, errc::backend, rank,
              "NCCL failed during call " + std::to_string(call.number) + ": " + problem, true);
    }
    const auto open = parts_->marks ? parts_->marks->under_way() : std::nullopt;
    const call_description late = open ? parts_->flight.call(open->call) : call;
    if (parts_->dog->expired()) {
        end_queue(late.number);
        raise_timeout(late, missing_from(late));
    }
    if (!heard && parts_->nccl && others_have_failed(*parts_, late.number)) {
        heard = watchdog::clock::now();
    }
    if (heard && watchdog::clock::now() - *heard > grace) {
        stop_device(late.number, errc::failed);
        raise_together(late, false);
    }
}

void communicator_state::finish(const call_scope& call, CUstream_st* stream)
{
    if (on_gpu()) {
        const armed_watchdog armed(*parts_->dog, call.description());
        poll_stream(call.description(), stream);
    }
}

void communicator_state::wait(CUstream_st* stream)
{
    if (parts_->failed.is_set()) {
        require_usable();
    }
    if (on_gpu()) {
        const device_runtime::guard current(device);
        const call_description last = parts_->flight.call(calls_);
        const armed_watchdog armed(*parts_->dog, last);
        poll_stream(last, stream);
    }
}

errc communicator_state::status() const noexcept
{
    if (parts_->failed.is_set()) {
        return parts_->failed.code();
    }
    return static_cast<errc>(code_in(parts_->failure_mirror));
}

void communicator_state::abort() noexcept
{
    parts_->failed.set(errc::failed, "abort() was called");
    if (parts_->peer) {
        parts_->peer->abort();
    }
}

} // namespace rankfold::detail
