// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The communicator as lib/core uses it: who we are, memory, the exchange of slots, and how calls begin and
// fail.
#pragma once

#include "comm/call.hpp"

#include "rankfold/array.hpp"
#include "rankfold/communicator.hpp"
#include "rankfold/operation.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankfold::detail {

struct communicator_parts; // MPI, NCCL, watchdog, facts
struct choice_of_path;
struct mailbox_request;

/// Where the slots of one kind of call lie. Records that do not fit the slots lie in `wide`, one row per
/// rank.
struct exchange_area {
    fingerprint head{};
    std::size_t row_bytes = 0;              ///< of all records of a rank
    std::size_t slot_stride = sizeof(slot); ///< transport peer: wide enough for all records
    backend_memory slots;                   ///< one per rank, and the error slot
    backend_memory wide;                    ///< empty where the records fit the slots
    std::vector<slot> host_slots;           ///< transport mpi: where MPI reads and writes
    std::vector<std::byte> host_wide;

    [[nodiscard]] slot* slot_of(int rank) const noexcept
    {
        return reinterpret_cast<slot*>(static_cast<std::byte*>(slots.data()) +
                                       static_cast<std::size_t>(rank) * slot_stride);
    }
    /// The first record of a rank, and the distance to the next rank's.
    [[nodiscard]] std::byte* records_of(int rank) const noexcept
    {
        auto* rows = static_cast<std::byte*>(wide.data());
        return rows ? rows + static_cast<std::size_t>(rank) * row_bytes : slot_of(rank)->payload;
    }
    [[nodiscard]] std::size_t stride() const noexcept { return wide.data() ? row_bytes : slot_stride; }
};

class communicator_state : public std::enable_shared_from_this<communicator_state> {
public:
    communicator_state(mpi_handle comm, const communicator_options& options);
    ~communicator_state();
    communicator_state(const communicator_state&) = delete;
    communicator_state& operator=(const communicator_state&) = delete;

    int rank = 0;
    int size = 1;
    int node = 0;
    int nodes = 1;
    int device = -1;
    int threads = 1;
    rankfold::backend backend = rankfold::backend::host;
    rankfold::transport transport = rankfold::transport::self;
    std::string description;

    [[nodiscard]] bool on_gpu() const noexcept { return backend == rankfold::backend::cuda; }
    /// Where local phases of call `number` run.
    [[nodiscard]] place place_on(CUstream_st* stream, std::uint64_t number) const noexcept;

    // ---- calls

    /// One call from its beginning to the return to the user. Makes the rank's GPU current meanwhile.
    /// @param problem  why this rank cannot do the call, or empty
    /// @throws error if the communicator failed before, or is used by two threads
    class call_scope {
    public:
        call_scope(communicator_state& comm, const call_facts& facts, const execution& where,
                   const std::string& problem);
        ~call_scope();
        call_scope(const call_scope&) = delete;
        call_scope& operator=(const call_scope&) = delete;
        [[nodiscard]] bool has_problem() const noexcept { return description_.problem[0] != '\0'; }
        [[nodiscard]] std::uint64_t number() const noexcept { return description_.number; }
        [[nodiscard]] const call_description& description() const noexcept { return description_; }

    private:
        communicator_state& comm_;
        std::optional<int> callers_device_; // cuda backend
        call_description description_;
        int unwinding_ = std::uncaught_exceptions();
    };

    /// What the kernel that makes this rank's last record does then, where the transport lets a kernel
    /// exchange: `fold`. Empty: the records go through exchange().
    [[nodiscard]] std::optional<conclusion> conclusion_in_kernel(const exchange_area& area,
                                                                 const fold_task& fold) const;

    /// Every rank's slot to every rank. Transport nccl: queued on `stream`; others' problems and differences
    /// are found by the fold, and thrown later.
    /// @throws error (usage, mismatch, timeout), the same on all ranks where the transport blocks
    void exchange(const call_scope& call, exchange_area& area, CUstream_st* stream);
    /// Instead of conclusion or exchange, of a call that has a problem: takes part with an error slot, so
    /// that all ranks throw. @throws error (usage), always
    void refuse(const call_scope& call, exchange_area& area, CUstream_st* stream);

    /// Compares calls of all ranks over MPI and moves nothing. Blocks. @throws as exchange
    void agree(const call_facts& facts, const execution& where, const std::string& problem);

    /// An area for calls with this fingerprint. Not collective.
    exchange_area make_area(const fingerprint& head);

    /// @see communicator::wait
    void wait(CUstream_st* stream);
    [[nodiscard]] errc status() const noexcept;
    void abort() noexcept;
    /// @see communicator::write_flight_record
    void write_flight_record(const std::string& path, const std::string& reason) const;
    /// Transport peer, for tests: @see peer_mailbox::approach_wrap
    void approach_wrap(std::uint32_t calls);
    /// Waits for `stream` on behalf of a call. @throws error
    void finish(const call_scope& call, CUstream_st* stream);

    // ---- memory

    void* allocate(std::size_t bytes);
    void release(void* memory) noexcept;
    /// In stream order on cuda; at once on the host.
    void copy(void* to, const void* from, std::size_t bytes, CUstream_st* stream);
    /// The stream of the library's own set-up work; null on the host backend.
    [[nodiscard]] CUstream_st* own_stream() const noexcept;
    /// Why the backend cannot use `bytes` bytes at `memory`; empty if it can.
    [[nodiscard]] std::string why_unreachable(const void* memory) const;
    /// True where `memory` is host memory that a one-shot call must stage.
    [[nodiscard]] bool needs_staging(const void* memory) const;
    /// Why `stream` cannot be used; empty if it can.
    [[nodiscard]] std::string why_not_stream(std::optional<CUstream_st*> stream) const;

private:
    friend class call_scope;
    void exchange_over_mpi(const call_scope& call, exchange_area& area, CUstream_st* stream);
    /// @param own  what this rank sends: its slot in the area, or the error slot
    void exchange_over_nccl(const call_scope& call, exchange_area& area, slot* own, CUstream_st* stream);
    void set_up(choice_of_path& path);
    void set_up_device(choice_of_path& path);
    void set_up_peer(choice_of_path& path);
    void set_up_nodes(choice_of_path& path);
    void set_up_queued(choice_of_path& path);
    [[nodiscard]] mailbox_request ask_for_mailbox() const;
    void release_device(bool failed) noexcept;
    /// A rank that has queued another call than these, which make a plan, waits on the device, not in MPI.
    void meet_on_device(const call_scope& call);
    /// Fails a call that was queued, by its deadline. Any thread.
    void end_queue(std::uint64_t call) noexcept;
    /// Ends what is queued, so that the GPU can be used again. Any thread.
    void stop_device(std::uint64_t call, errc code) noexcept;
    [[nodiscard]] std::string timeout_text(const call_description& call,
                                           const std::vector<int>& missing) const;
    void gather_slots(const call_scope& call, std::span<slot> slots);
    void gather_rows(const call_scope& call, std::byte* rows, std::size_t row_bytes);
    void poll_stream(const call_description& call, CUstream_st* stream);
    void look_around(const call_description& call,
                     std::optional<std::chrono::steady_clock::time_point>& heard);
    void require_usable();
    void raise_device_failure();
    [[noreturn]] void raise_timeout(const call_description& call, const std::vector<int>& missing);
    [[nodiscard]] std::vector<int> missing_from(const call_description& call);
    [[noreturn]] void raise_together(const call_description& call, bool in_step, errc found = errc::success);
    [[noreturn]] void raise(const call_description& call, errc code, int at_rank, const std::string& text,
                            bool sticky);
    void leave(const call_description& call, bool by_exception) noexcept;
    void record_failure(const call_description& call, errc code, const std::string& reason) noexcept;
    /// A rank as errors name it: process, host, and what is known of it.
    [[nodiscard]] std::string who(int rank) const;
    /// In words. Any thread.
    [[nodiscard]] std::string waiting_for(std::uint64_t call) const;

    std::unique_ptr<communicator_parts> parts_;
    std::uint64_t calls_ = 0;
    std::atomic<bool> in_call_{false};
};

} // namespace rankfold::detail
