// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waits, and how a failure is told: to the user with names, to the other ranks with a description of the
// call.
#include "check.hpp"
#include "parts.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace rankfold::detail {
namespace {

/// How long a failing rank waits for the descriptions of the others.
double farewell_seconds(double timeout_s)
{
    return std::min(timeout_s, 10.0);
}

std::uint32_t code_in(const failure_word* mirror)
{
    return mirror ? __atomic_load_n(&mirror->code, __ATOMIC_ACQUIRE) : 0;
}

std::string who(int rank, const rank_facts& facts)
{
    return "rank " + std::to_string(rank) + " (process " + std::to_string(facts.pid) + " on " +
           facts.host.data() + ")";
}

/// The problems of the ranks that have one, in words; empty if none has.
std::string problems_in(const std::vector<std::optional<call_description>>& calls)
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

std::string table_of(const std::vector<std::optional<call_description>>& calls)
{
    std::string text;
    for (std::size_t r = 0; r < calls.size(); ++r) {
        text += "\n  rank " + std::to_string(r) + ": " + (calls[r] ? to_text(*calls[r]) : "did not say");
    }
    return text;
}

/// Sends `mine` to all other ranks and waits a bounded time for theirs.
std::vector<std::optional<call_description>> exchange_descriptions(communicator_parts& parts, int rank,
                                                                   int size, const call_description& mine)
{
    auto& farewell = parts.farewells.emplace_back();
    farewell.description = mine;
    farewell.requests.resize(static_cast<std::size_t>(size), MPI_REQUEST_NULL);
    std::vector<std::optional<call_description>> all(static_cast<std::size_t>(size));
    all[static_cast<std::size_t>(rank)] = mine;
    for (int r = 0; r < size; ++r) {
        if (r != rank) {
            RANKFOLD_MPI(MPI_Isend(&farewell.description, sizeof(call_description), MPI_BYTE, r,
                                   tag_description, parts.comm,
                                   &farewell.requests[static_cast<std::size_t>(r)]));
        }
    }
    const auto deadline = std::chrono::steady_clock::now() +
                          std::chrono::duration<double>(farewell_seconds(parts.asked.timeout_s));
    for (int missing = size - 1; missing > 0 && std::chrono::steady_clock::now() < deadline;) {
        int found = 0;
        MPI_Status status;
        RANKFOLD_MPI(MPI_Iprobe(MPI_ANY_SOURCE, tag_description, parts.comm, &found, &status));
        if (!found) {
            std::this_thread::yield();
            continue;
        }
        call_description theirs;
        RANKFOLD_MPI(MPI_Recv(&theirs, sizeof theirs, MPI_BYTE, status.MPI_SOURCE, tag_description,
                              parts.comm, MPI_STATUS_IGNORE));
        auto& place = all[static_cast<std::size_t>(status.MPI_SOURCE)];
        if (theirs.number == mine.number && !place) { // others are left over from an earlier failure
            place = theirs;
            --missing;
        }
    }
    return all;
}

} // namespace

void communicator_state::raise(errc code, int at_rank, const std::string& text, bool sticky)
{
    if (sticky) {
        failure_text_ = text;
        failed_.store(code);
    }
    throw error(code, code == errc::backend ? error_origin::system : error_origin::usage, 0, at_rank, text);
}

void communicator_state::raise_together(const call_description& call, bool in_step, errc found)
{
    // Ranks that all throw from the same call can go on; where later calls were queued already they cannot.
    const bool sticky = !in_step;
    const auto calls = exchange_descriptions(*parts_, rank, size, call);
    if (const std::string problems = problems_in(calls); !problems.empty()) {
        const auto bad = std::find_if(calls.begin(), calls.end(),
                                      [](const auto& c) { return c && c->problem[0] != '\0'; });
        raise(errc::usage, static_cast<int>(bad - calls.begin()), problems, sticky);
    }
    if (found == errc::usage) { // by the fold, alike on all ranks
        raise(errc::usage, -1, std::string(empty_array_text) + " (" + to_text(call) + ")", sticky);
    }
    raise(errc::mismatch, -1,
          "ranks made different calls (call " + std::to_string(call.number) + "):" + table_of(calls), sticky);
}

void communicator_state::raise_timeout(const call_description& call, const std::vector<int>& missing)
{
    std::string text = "call " + std::to_string(call.number) + " (" + to_text(call) +
                       ") was not completed within " + std::to_string(parts_->asked.timeout_s) + " s";
    for (const int r : missing) {
        text += (r == missing.front() ? "; missing: " : ", ") +
                who(r, parts_->facts[static_cast<std::size_t>(r)]);
    }
    raise(errc::timeout, missing.empty() ? -1 : missing.front(), text, true);
}

void communicator_state::require_usable()
{
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (finalised) {
        throw_usage("communicator: MPI_Finalize was called already; a communicator takes no calls after it",
                    rank);
    }
    if (failed_.load() == errc::success && code_in(parts_->failure_mirror) != 0) {
        raise_device_failure();
    }
    if (failed_.load() != errc::success) {
        throw error(errc::failed, error_origin::usage, 0, rank,
                    "the communicator failed before and takes no more calls: " + failure_text_);
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
    const call_description& known = parts_->recent[number % parts_->recent.size()];
    const auto code = static_cast<errc>(code_in(parts_->failure_mirror));
    if (code == errc::timeout || code == errc::failed) {
        raise_timeout(known, parts_->peer ? parts_->peer->missing() : std::vector<int>{});
    }
    raise_together(known, false, code);
}

void communicator_state::poll_stream(const call_description& call, CUstream_st* stream)
{
    for (std::uint64_t polls = 1; !device_runtime::finished(stream); ++polls) {
        const bool look = polls % 256 == 0;
        if (look && parts_->nccl) {
            if (const char* problem = parts_->nccl->asynchronous_error()) {
                raise(errc::backend, rank,
                      "NCCL failed during call " + std::to_string(call.number) + ": " + problem, true);
            }
        }
        if (parts_->dog->expired() || failed_.load() != errc::success) {
            raise_timeout(call, {});
        }
    }
    if (code_in(parts_->failure_mirror) != 0) {
        raise_device_failure();
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
    if (failed_.load() != errc::success) {
        require_usable();
    }
    if (on_gpu()) {
        const device_runtime::guard current(device);
        const call_description& last = parts_->recent[calls_ % parts_->recent.size()];
        const armed_watchdog armed(*parts_->dog, last);
        poll_stream(last, stream);
    }
}

errc communicator_state::status() const noexcept
{
    if (failed_.load() != errc::success) {
        return failed_.load();
    }
    return static_cast<errc>(code_in(parts_->failure_mirror));
}

void communicator_state::abort() noexcept
{
    failure_text_ = "abort() was called";
    failed_.store(errc::failed);
    if (parts_->peer) {
        parts_->peer->abort();
    }
}

} // namespace rankfold::detail
