// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "communicator_parts.hpp"

#include "setup/path.hpp"
#include "watch/run_with_deadline.hpp"

#include <chrono>
#include <exception>
#include <new>
#include <thread>

namespace rankfold::detail {

namespace {

/// True once all ranks destroy the communicator; false if some do not soon. A message that is sent on a
/// communicator that its receiver has freed may end up in another one, which MPI has given the same number.
bool all_come(MPI_Comm comm) noexcept
{
    constexpr std::chrono::milliseconds soon{500};
    const auto deadline = std::chrono::steady_clock::now() + soon;
    MPI_Request request = MPI_REQUEST_NULL;
    int done = 0;
    if (MPI_Ibarrier(comm, &request) != MPI_SUCCESS) {
        return false;
    }
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done &&
           std::chrono::steady_clock::now() < deadline) {
        std::this_thread::yield();
    }
    return done != 0;
}

} // namespace

place comm_context::place_on(CUstream_st* stream, std::uint64_t number) const noexcept
{
    return {.stream = stream,
            .threads = self.threads,
            .multiprocessors = memory.multiprocessors(),
            .coexist = asked.coexist.value_or(memory.has_company()),
            .overlap = asked.overlap,
            .failure = memory.report_of(number)};
}

communicator_parts::communicator_parts(const membership& self, MPI_Comm mpi, introduction all)
    : known(std::move(all)), memory(self.device, self.rank),
      ledger(*known.progress, *known.log,
             {.communicator = unique_name(known.ranks),
              .rank = self.rank,
              .ranks = self.size,
              .host = known.ranks[static_cast<std::size_t>(self.rank)].host.data(),
              .pid = known.ranks[static_cast<std::size_t>(self.rank)].pid,
              .reason = {}},
             known.asked.flight_dir),
      gather(mpi, self.rank, self.size), context{self,        known.asked, *known.log, mpi,
                                                 known.ranks, memory,      ledger,     gather},
      failure(context, known.main_thread_only)
{
}

void communicator_parts::connect(choice_of_path& path)
{
    transport = make_transport(for_transport(), path);
    failure.watch(*transport);
}

communicator_parts::~communicator_parts()
{
    failure.tell_others();
    ledger.close();
    failure.stop();
    const bool failed = failure.status() != errc::success;
    if (!end_transport(failed)) {
        known.log->write(log_level::warn,
                         "a communicator was destroyed, and its kernels or NCCL did not end in "
                         "time: what they may use is leaked");
        memory.leak();
    }
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (finalised) {
        known.log->write(log_level::warn,
                         "a communicator was destroyed after MPI_Finalize; destroy it before");
    } else if (comm.get() != MPI_COMM_NULL && (failed || !all_come(comm.get()))) {
        known.log->write(log_level::info, "the MPI communicator is not freed: other ranks may still use it");
        comm.leak();
    }
}

/// True when no kernel of the communicator runs any more. What waits for nobody ends by itself; so may what
/// waits for other ranks, unless the caller gave up. @param failed  set where calls had to be ended
bool communicator_parts::end_calls(bool& failed)
{
    const bool waits = context.self.size > 1 && !transport->blocks();
    const bool given_up = waits && (failed || std::uncaught_exceptions() > 0);
    if (!memory.may_run() || (!given_up && memory.device_ends(end_s))) {
        return true;
    }
    if (!waits) {
        return false;
    }
    failed = true;
    failure.stop_device(ledger.last().number, errc::failed);
    return memory.device_ends(end_s);
}

/// What other libraries do not give back in time is left behind with the thread that waits for them.
bool communicator_parts::end_transport(bool failed) noexcept
{
    if (!transport || !context.self.on_gpu()) {
        transport.reset();
        return true;
    }
    try {
        const device_runtime::guard current(context.self.device);
        if (!end_calls(failed)) {
            static_cast<void>(new (std::nothrow) std::shared_ptr(std::move(transport)));
            return false;
        }
        const auto end = [ended = transport, failed, device = context.self.device] {
            const device_runtime::guard on(device);
            ended->end(failed);
        };
        // Others may have failed alone.
        if (!returns_in_time(end, failed ? end_s : unhurried(context.asked.timeout_s))) {
            static_cast<void>(new (std::nothrow) std::shared_ptr(std::move(transport)));
            return false;
        }
        transport.reset();
    } catch (const std::exception& problem) { // no thread to be had, or the device is lost
        known.log->write(log_level::warn,
                         std::string("while a communicator was destroyed: ") + problem.what());
        static_cast<void>(new (std::nothrow) std::shared_ptr(std::move(transport)));
        return false;
    }
    return true;
}

} // namespace rankfold::detail
