// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "watch/failure.hpp"

#include "memory_space.hpp"
#include "runtime/mpi_check.hpp"
#include "runtime/seconds.hpp"
#include "transport/transport.hpp"
#include "watch/call_ledger.hpp"

#include <algorithm>

namespace rankfold::detail {
namespace {

/// How long a failing rank waits for the notices of the others.
double notice_seconds(double timeout_s)
{
    return std::min(timeout_s, 10.0);
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

failure_handler::failure_handler(const comm_context& comm, bool main_thread_only)
    : comm_(comm), main_thread_only_(main_thread_only), notices_(comm.comm, comm.self.rank, comm.self.size)
{
}

std::string failure_handler::who(int r) const
{
    const rank_info& info = comm_.info(r);
    const std::string news = comm_.ledger.news_of(r);
    return "rank " + std::to_string(r) + " (process " + std::to_string(info.pid) + " on " + info.host.data() +
           (news.empty() ? "" : ": " + news) + ")";
}

void failure_handler::raise(const call_description& call, errc code, int at_rank, const std::string& text,
                            bool sticky)
{
    if (sticky) {
        failed_.set(code, text);
        static_cast<void>(failed_.tell());
    }
    comm_.ledger.fail(call.number, code, text);
    throw error(code, code == errc::backend ? error_origin::system : error_origin::usage, 0, at_rank, text);
}

descriptions failure_handler::exchange_notices(const call_description& mine)
{
    return notices_.exchange(mine, notice_seconds(comm_.asked.timeout_s));
}

void failure_handler::raise_together(const call_description& call, bool in_step, errc found)
{
    // Ranks that all throw from the same call can go on; where later calls were queued already they cannot.
    const bool sticky = !in_step;
    call_description mine = call;
    if (found != errc::success) {
        mine.head.error =
            static_cast<std::uint8_t>(found); // overlap on one rank can be a mismatch on another
    }
    const auto calls = exchange_notices(mine);
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
    for (int r = 0; r < comm_.self.size; ++r) {
        const auto& theirs = calls[static_cast<std::size_t>(r)];
        text += "\n  " +
                (theirs ? "rank " + std::to_string(r) + ": " + to_text(*theirs) : who(r) + ": did not say");
    }
    raise(call, errc::mismatch, -1, text, sticky);
}

std::string failure_handler::timeout_text(const call_description& call, const std::vector<int>& missing) const
{
    std::string text = "call " + std::to_string(call.number) + " (" + to_text(call) +
                       ") was not completed within " + seconds_text(comm_.asked.timeout_s);
    for (const int r : missing) {
        text += (r == missing.front() ? "; missing: " : ", ") + who(r);
    }
    return text;
}

void failure_handler::raise_timeout(const call_description& call, const std::vector<int>& missing)
{
    raise(call, errc::timeout, missing.empty() ? -1 : missing.front(), timeout_text(call, missing), true);
}

void failure_handler::require_usable()
{
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (finalised) {
        throw_usage("communicator: MPI_Finalize was called already; a communicator takes no calls after it",
                    comm_.self.rank);
    }
    if (!failed_.is_set() && comm_.memory.reported().code != 0) {
        raise_device_failure();
    }
    if (failed_.is_set()) {
        if (failed_.tell()) { // by the watchdog, while nobody waited
            throw error(failed_.code(), error_origin::usage, 0, comm_.self.rank, failed_.text());
        }
        throw error(errc::failed, error_origin::usage, 0, comm_.self.rank,
                    "the communicator failed before and takes no more calls: " + failed_.text());
    }
    int main_thread = 1;
    if (main_thread_only_) {
        RANKFOLD_MPI(MPI_Is_thread_main(&main_thread));
    }
    if (!main_thread) {
        throw_usage("communicator: called from another thread than the one that initialised MPI, which gave "
                    "less than "
                    "MPI_THREAD_SERIALIZED",
                    comm_.self.rank);
    }
}

void failure_handler::raise_device_failure()
{
    const failure_word reported = comm_.memory.reported();
    const std::uint32_t number = reported.call;
    const call_description known = comm_.ledger.call(number);
    const auto code = static_cast<errc>(reported.code);
    if (code == errc::failed) {
        const std::string ours = failed_.text();
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
std::vector<int> failure_handler::missing_from(const call_description& call)
{
    std::vector<int> missing = transport_->missing();
    if (missing.empty()) {
        missing = comm_.ledger.not_yet_in(call.number);
    }
    if (missing.empty() && comm_.self.nodes > 1) {
        const descriptions calls = exchange_notices(call);
        for (int r = 0; r < comm_.self.size; ++r) {
            if (!calls[static_cast<std::size_t>(r)]) {
                missing.push_back(r);
            }
        }
    }
    return missing;
}

errc failure_handler::status() const noexcept
{
    if (failed_.is_set()) {
        return failed_.code();
    }
    return static_cast<errc>(comm_.memory.reported().code);
}

void failure_handler::abort() noexcept
{
    failed_.set(errc::failed, "abort() was called");
    transport_->abort(0);
}

} // namespace rankfold::detail
