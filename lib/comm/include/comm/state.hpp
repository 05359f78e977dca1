// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The communicator as lib/core uses it: who we are, memory, calls and their exchange. What does the work
// stands behind it, in communicator_parts.hpp.
#pragma once

#include "comm/call.hpp"
#include "comm/exchange_buffers.hpp"

#include "rankfold/communicator.hpp"
#include "rankfold/operation.hpp"

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string>

namespace rankfold::detail {

struct communicator_parts;

/// Who this rank is in a communicator. Does not change once the communicator is made.
struct membership {
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
};

class communicator_state : public membership, public std::enable_shared_from_this<communicator_state> {
public:
    communicator_state(mpi_handle comm, const communicator_options& options);
    ~communicator_state();
    communicator_state(const communicator_state&) = delete;
    communicator_state& operator=(const communicator_state&) = delete;

    /// Where local phases of call `number` run.
    [[nodiscard]] place place_on(CUstream_st* stream, std::uint64_t number) const noexcept;

    // ---- calls

    /// One call from its beginning to the return to the user. Makes the rank's GPU current meanwhile.
    /// @param problem  why this rank cannot do the call, or empty
    /// @param code     of that problem, as all ranks will throw it
    /// @throws error if the communicator failed before, or is used by two threads
    class call_scope {
    public:
        call_scope(communicator_state& comm, const call_facts& facts, const execution& where,
                   const std::string& problem, errc code = errc::usage);
        ~call_scope();
        call_scope(const call_scope&) = delete;
        call_scope& operator=(const call_scope&) = delete;
        [[nodiscard]] bool has_problem() const noexcept { return description_.problem[0] != '\0'; }
        [[nodiscard]] std::uint64_t number() const noexcept { return description_.number; }
        [[nodiscard]] const call_description& description() const noexcept { return description_; }

    private:
        communicator_state& comm_;
        std::optional<int> callers_device_; // cuda backend
        std::optional<CUstream_st*> stream_;
        call_description description_;
        int unwinding_ = std::uncaught_exceptions();
    };

    /// What the kernel that makes this rank's last record does then, where the transport lets a kernel
    /// exchange: `fold`. Empty: the records go through exchange().
    [[nodiscard]] std::optional<conclusion> conclusion_in_kernel(const call_scope& call,
                                                                 const exchange_buffers& buffers,
                                                                 const fold_task& fold) const;

    /// Every rank's slot to every rank. Where the transport queues, others' problems and differences are
    /// found by the fold, and thrown later.
    /// @throws error (usage, mismatch, timeout), the same on all ranks where the transport blocks
    void exchange(const call_scope& call, exchange_buffers& buffers, CUstream_st* stream);
    /// Instead of conclusion or exchange, of a call that has a problem: takes part with an error slot, so
    /// that all ranks throw. On a stream that is captured the others do not hear of it. @throws error, always
    void refuse(const call_scope& call, CUstream_st* stream);

    /// Compares calls of all ranks over MPI and moves nothing. Blocks. @throws as exchange
    void agree(const call_facts& facts, const execution& where, const std::string& problem,
               errc code = errc::usage);

    /// Runs what a user has asked for, as a whole. An exception that the other ranks do not know of, whatever
    /// it is, fails the communicator on all of them, and goes on to the user.
    template <class Body>
    void run_for_user(Body&& body)
    {
        const std::uint64_t known = errors_raised();
        try {
            body();
        } catch (...) {
            fail_unless_known(known);
            throw;
        }
    }

    /// The number of a plan that is about to be made, the same on all ranks: they count alike.
    [[nodiscard]] std::uint32_t next_plan() noexcept { return ++plans_; }
    /// Buffers for calls with this fingerprint. Not collective.
    exchange_buffers make_buffers(const fingerprint& head);

    /// @see communicator::wait
    void wait(CUstream_st* stream);
    [[nodiscard]] errc status() const noexcept;
    void abort() noexcept;
    /// @see communicator::write_flight_record
    void write_flight_record(const std::string& path) const;
    /// For tests of transport peer: @see exchange_transport::approach_wrap
    void approach_wrap(std::uint32_t calls);

    // ---- memory

    void* allocate(std::size_t bytes);
    void release(void* memory) noexcept;
    /// In stream order on cuda; at once on the host.
    void copy(void* to, const void* from, std::size_t bytes, CUstream_st* stream);
    /// The same, and waits until it is done; also where the communicator has failed.
    void copy_now(void* to, const void* from, std::size_t bytes);
    /// The stream of the library's own set-up work; null on the host backend.
    [[nodiscard]] CUstream_st* own_stream() const noexcept;
    /// Why the backend cannot use `bytes` bytes at `memory`; empty if it can.
    [[nodiscard]] std::string why_unreachable(const void* memory) const;
    /// True where `memory` is host memory that a one-shot call must stage.
    [[nodiscard]] bool needs_staging(const void* memory) const;
    /// Why a call on `stream` cannot block; empty if it can.
    [[nodiscard]] std::string why_not_blocking(CUstream_st* stream) const;
    /// Why `stream` cannot be used; empty if it can.
    [[nodiscard]] std::string why_not_stream(std::optional<CUstream_st*> stream) const;

private:
    friend class call_scope;

    /// In a child of fork, which may destroy it. @throws error (usage) where it would be used
    [[nodiscard]] bool is_copy_of_child() const noexcept;
    void require_own_process() const;
    [[nodiscard]] std::uint64_t errors_raised() const noexcept;
    /// While an exception is handled. @param known  errors that were raised before
    void fail_unless_known(std::uint64_t known) noexcept;

    std::unique_ptr<communicator_parts> parts_;
    std::uint32_t plans_ = 0;
};

} // namespace rankfold::detail
