// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "watch/failure.hpp"

#include "memory_space.hpp"
#include "runtime/fixed_text.hpp"
#include "runtime/mpi_check.hpp"
#include "runtime/seconds.hpp"
#include "transport/transport.hpp"
#include "watch/call_ledger.hpp"

#include <algorithm>
#include <new>

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

// ---- failing

void failure_handler::fail(const call_description& call, errc code, int culprit,
                           const std::string& text) noexcept
{
    failure_notice why{.call = call, .teller = comm_.self.rank, .culprit = culprit, .code = code};
    put(why.reason, text);
    if (failed_.set(why, text)) {
        comm_.ledger.publish(why);
        comm_.ledger.fail(call.number, code, text);
    }
}

void failure_handler::fail_by_exception() noexcept
{
    const call_description call = comm_.ledger.last();
    const auto fail_with = [&](errc code, const std::string& text) {
        fail(call, code, comm_.self.rank, text);
    };
    try {
        throw;
    } catch (const error& failure) {
        fail_with(failure.code(), failure.text());
    } catch (const std::bad_alloc&) {
        fail_with(errc::out_of_memory, "memory was asked for and refused");
    } catch (const std::exception& failure) {
        fail_with(errc::failed, failure.what());
    } catch (...) {
        fail_with(errc::failed, "an exception that is no std::exception");
    }
    static_cast<void>(failed_.tell()); // the user gets the exception
    if (comm_.self.on_gpu()) {
        stop_device(call.number, errc::failed);
        transport_->tell_failure(call);
    }
}

/// Another rank's word.
void failure_handler::believe(const failure_notice& told) noexcept
{
    const bool blames_itself = told.culprit < 0 || told.culprit == told.teller;
    const std::string text =
        (blames_itself ? who(told.teller) + " failed in call " + std::to_string(told.call.number) + " (" +
                             to_text(told.call) + "): "
                       : "") +
        told.reason.data();
    if (failed_.set(told, text)) {
        comm_.ledger.publish(told);
        comm_.ledger.fail(comm_.ledger.last().number, told.code, text);
        if (comm_.self.on_gpu()) {
            stop_device(comm_.ledger.last().number, errc::failed);
        }
    }
}

void failure_handler::tell_others() noexcept
{
    int finalised = 0;
    int main_thread = 1;
    MPI_Finalized(&finalised);
    if (main_thread_only_ && !finalised) {
        MPI_Is_thread_main(&main_thread);
    }
    if (failed_.is_set() && !finalised && main_thread) {
        notices_.send(failed_.notice());
    }
}

bool failure_handler::listen(bool in_mpi)
{
    if (failed_.is_set()) {
        return true;
    }
    if (const failure_notice* told = comm_.ledger.published()) {
        believe(*told);
    } else if (const auto heard = in_mpi ? notices_.receive() : std::nullopt) {
        believe(*heard);
    }
    return failed_.is_set();
}

bool failure_handler::listen_closely()
{
    constexpr int tries = 8;
    for (int i = 0; i < tries && !listen(true); ++i) {
    }
    return failed_.is_set();
}

bool failure_handler::listen_now_and_then()
{
    constexpr auto often = std::chrono::milliseconds(50);
    const auto now = watchdog::clock::now();
    if (comm_.self.size == 1 || now - last_look_ <= often) {
        return listen(false);
    }
    last_look_ = now;
    return listen_closely();
}

void failure_handler::require_no_news()
{
    if (listen_now_and_then()) {
        raise_first();
    }
}

// ---- raising

void failure_handler::raise_first()
{
    const failure_notice why = failed_.notice();
    static_cast<void>(failed_.tell());
    ++raised_;
    tell_others();
    throw error(why.code, why.code == errc::backend ? error_origin::system : error_origin::usage, 0,
                why.culprit < 0 ? why.teller : why.culprit, failed_.text());
}

void failure_handler::raise(const call_description& call, errc code, int culprit, const std::string& text,
                            bool sticky)
{
    if (sticky) {
        fail(call, code, culprit, text);
        if (failed_.code() != code) { // another reason came first
            raise_first();
        }
        static_cast<void>(failed_.tell());
        tell_others();
    }
    ++raised_;
    comm_.ledger.fail(call.number, code, text);
    throw error(code, code == errc::backend ? error_origin::system : error_origin::usage, 0, culprit, text);
}

descriptions failure_handler::exchange_descriptions(const call_description& mine, std::span<const slot> slots)
{
    // A slot has the low bits of its rank's number, where it has them; ranks are less than half of their
    // range apart.
    std::vector<std::uint64_t> numbers(static_cast<std::size_t>(comm_.self.size), mine.number);
    for (std::size_t r = 0; r < slots.size() && slots[r].head.number != 0; ++r) {
        const auto ahead =
            static_cast<std::int32_t>(slots[r].head.number - static_cast<std::uint32_t>(mine.number));
        numbers[r] = mine.number + static_cast<std::uint64_t>(std::int64_t{ahead});
    }
    const auto deadline =
        watchdog::clock::now() + std::chrono::duration<double>(notice_seconds(comm_.asked.timeout_s));
    return notices_.exchange_descriptions(mine, numbers, [&] {
        return watchdog::clock::now() > deadline || (transport_->blocks() && listen(true));
    });
}

void failure_handler::raise_together(const call_description& call, bool in_step, errc found,
                                     std::span<const slot> slots)
{
    // Ranks that all throw from the same call can go on; where later calls were queued already they cannot.
    const bool sticky = !in_step;
    call_description mine = call;
    if (found != errc::success) {
        mine.head.error =
            static_cast<std::uint8_t>(found); // overlap on one rank can be a mismatch on another
    }
    const auto calls = exchange_descriptions(mine, slots);
    if (failed_.is_set() && in_step) { // one of them was not to be had
        raise_first();
    }
    if (const std::string problems = problems_in(calls); !problems.empty()) {
        const auto bad = std::find_if(calls.begin(), calls.end(),
                                      [](const auto& c) { return c && c->problem[0] != '\0'; });
        const auto code = static_cast<errc>((*bad)->head.error);
        raise(call, code == errc::success ? errc::usage : code, static_cast<int>(bad - calls.begin()),
              problems, sticky);
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
    const std::string differ = differences(calls);
    std::string text = "ranks made different calls (call " + std::to_string(call.number) +
                       (differ.empty() ? "" : "; they differ in " + differ) + "):";
    for (int r = 0; r < comm_.self.size; ++r) {
        const auto& theirs = calls[static_cast<std::size_t>(r)];
        text += "\n  " +
                (theirs ? "rank " + std::to_string(r) + ": " + to_text(*theirs) : who(r) + ": did not say");
    }
    raise(call, errc::mismatch, -1, text, sticky);
}

std::string failure_handler::missing_text(const std::vector<int>& missing) const
{
    std::string text;
    for (const int r : missing) {
        text += (r == missing.front() ? "; missing: " : ", ") + who(r);
    }
    return text;
}

std::string failure_handler::timeout_text(const call_description& call, const std::vector<int>& missing) const
{
    return "call " + std::to_string(call.number) + " (" + to_text(call) + ") was not completed within " +
           seconds_text(comm_.asked.timeout_s) + missing_text(missing);
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
    int main_thread = 1;
    if (main_thread_only_) {
        RANKFOLD_MPI(MPI_Is_thread_main(&main_thread));
    }
    if (!main_thread) {
        throw_usage("communicator: called from another thread than the one that initialised MPI, which gave "
                    "less than MPI_THREAD_SERIALIZED",
                    comm_.self.rank);
    }
    if (!failed_.is_set() && comm_.memory.reported().code != 0) {
        raise_device_failure();
    }
    if (listen_now_and_then()) {
        if (failed_.tell()) { // another rank, or the watchdog while nobody waited
            raise_first();
        }
        const failure_notice why = failed_.notice();
        tell_others();
        throw error(errc::failed, error_origin::usage, 0, why.culprit < 0 ? why.teller : why.culprit,
                    "the communicator failed before and takes no more calls: " + failed_.text());
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
        const descriptions calls = exchange_descriptions(call, {});
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
    if (const failure_notice* told = comm_.ledger.published()) {
        return told->code;
    }
    return static_cast<errc>(comm_.memory.reported().code);
}

void failure_handler::abort() noexcept
{
    fail(comm_.ledger.last(), errc::failed, comm_.self.rank, "abort() was called");
    transport_->abort(0);
}

} // namespace rankfold::detail
