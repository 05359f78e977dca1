// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "rankfold/error.hpp"
#include "rankfold/execution.hpp"

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace rankfold {

namespace detail {
template <class T>
inline constexpr bool is_mpi_communicator = false; // true for MPI_Comm once rankfold/mpi.hpp is included
class communicator_state;
} // namespace detail

/// An MPI_Comm without the MPI header; include rankfold/mpi.hpp to make one.
class mpi_handle {
public:
    template <class Communicator>
    requires detail::is_mpi_communicator<Communicator> mpi_handle(Communicator communicator)
    noexcept
    {
        static_assert(sizeof communicator <= sizeof bits_);
        std::memcpy(&bits_, &communicator, sizeof communicator);
    }

    /// The MPI_Comm again.
    template <class Communicator>
    [[nodiscard]] Communicator as() const noexcept
    {
        Communicator communicator;
        std::memcpy(&communicator, &bits_, sizeof communicator);
        return communicator;
    }

private:
    std::uintptr_t bits_ = 0;
};

/// What computes the local phases. `automatic`: cuda where every rank has a GPU, host where none has; a
/// mixture is an error that names the ranks.
enum class backend : std::uint8_t { automatic, cuda, host };

/// How an exchange travels. `automatic` is right; the others force a path or fail.
enum class transport : std::uint8_t { automatic, self, peer, nccl, mpi };

[[nodiscard]] std::string_view to_string(backend which) noexcept;
[[nodiscard]] std::string_view to_string(transport which) noexcept;

/// What is left unset here is taken from the environment, and what is unset there from the defaults.
/// Environment values are parsed strictly: an unknown value, an empty one, or blanks around one are an error
/// on every rank; names that begin with RANKFOLD_ and mean nothing get one warning.
struct communicator_options {
    std::optional<rankfold::backend> backend{}; ///< RANKFOLD_BACKEND=automatic|cuda|host
    std::optional<std::string> device{};        ///< RANKFOLD_DEVICE: ordinal or PCI bus id of this rank's GPU
    std::optional<rankfold::transport> transport{}; ///< RANKFOLD_TRANSPORT=automatic|self|peer|nccl|mpi
    /// RANKFOLD_WARN_S: seconds until a waiting call warns; 60. From 1e9 on, and inf: never.
    std::optional<double> warn_s{};
    /// RANKFOLD_TIMEOUT_S: seconds until a waiting call fails; 600. From 1e9 on, and inf: never.
    std::optional<double> timeout_s{};
    /// RANKFOLD_FLIGHT_DIR: a writable directory for the flight record of each rank whose call fails; none
    std::optional<std::string> flight_dir{};
    /// RANKFOLD_COEXIST=0|1: no kernel fills the GPU while it waits for other ranks, so that kernels of other
    /// libraries that do cannot keep it waiting. Scans of short pieces then take two launches. Same bits.
    /// Unset: 1 for calls that are made while this process has another communicator of several ranks on the
    /// GPU, which may be first there on another rank; else 0.
    std::optional<bool> coexist{};
    /// RANKFOLD_OVERLAP=0|1: a launch may overlap with the end of the kernel before it on its stream; 1. See
    /// execution::stream for what that asks of a program's own programmatic launches.
    std::optional<bool> overlap{};
};

/// A group of ranks that reduce and scan together. Owns a duplicate of the MPI communicator, the choice of
/// backend, GPU and transport, and a share in the one thread of the process that watches over deadlines and
/// makes no MPI calls.
///
/// Collective: construction, by all ranks of the MPI communicator. Works with MPI_THREAD_SINGLE; a
/// communicator is used by one thread at a time.
///
/// After an error: a usage error, a mismatch, and memory that is not to be had for a plan or a one-shot call
/// are thrown by all ranks from the same call; where calls block (host backend, transports self and mpi) all
/// may go on. Any other end of a call on one rank, also by an exception of the user's own operator, fails the
/// communicator on all ranks at once: their calls throw the first reason, and error::rank() is whose it was.
/// So do two threads in calls at once. A failed communicator takes no more calls, which throw errc::failed;
/// its arrays can still be read. Destroy it and make a new one.
/// A rank of the same node whose process is gone, or that has destroyed the communicator, is not waited for:
/// calls fail within a second. The deadline is for ranks of which nothing is known. A rank that was stopped
/// until the others gave up gets their error.
///
/// A child of fork may destroy its copy, which does nothing; its calls are a usage error. Rounding mode and
/// flush-to-zero of the caller's thread change no result of the host backend, and stay as they are.
///
/// Destruction returns in bounded time, also where other ranks do not destroy theirs; what MPI holds of the
/// communicator is freed only where all do so within half a second. After MPI_Finalize it makes no MPI call.
/// Plans and arrays keep what they need alive. All of them may be
/// destroyed while calls are queued: device memory is kept until those are known to have ended (wait() on
/// their stream, the next plan, the end of the communicator, memory that runs short). Where calls still run
/// at the end of the communicator it waits for the GPU, 10 s at most, then ends what waits for other ranks;
/// at once where an exception unwinds the stack. What cannot be had back then is leaked and logged. A plan,
/// and arrays, must outlive the replays of graphs that were captured from it.
///
/// Several communicators may be alive in a process, on the same GPU too, and be called on different streams,
/// in the same order on all ranks: see communicator_options::coexist. A graph keeps the form of kernels that
/// it was captured with, so make the communicators first.
///
/// While a stream is captured a usage error is thrown by that call alone, at once, and on this rank alone;
/// the capture stays valid, without the call. wait(), one-shot functions and every call of transport mpi are
/// usage errors there, and no plan can be made while a stream of the GPU is captured. Making a plan waits
/// until the GPU has done what it was given before; it is found where another rank makes a call instead.
/// Calls of one communicator that overlap on the GPU are an error (busy) where they are seen: order them by
/// one stream or by events.
///
/// Environment: communicator_options, RANKFOLD_FAKE_NODE_SIZE=ranks[,cyclic] (for tests: nodes of that size
/// are pretended, with ranks one after another or dealt out), and RANKFOLD_DEBUG=WARN|INFO|TRACE with
/// RANKFOLD_DEBUG_FILE (%h host, %p process).
class communicator {
public:
    /// @throws error (usage) on every rank if MPI is not initialised or is finalised, if `comm` is null or an
    /// inter-communicator, if an option or environment value of any rank is invalid, if ranks ask for
    /// different backends, transports, deadlines or coexistence, if the system refuses a rank the watching
    /// thread, or if only some ranks have a GPU; (backend) if CUDA, NCCL or MPI
    /// fails.
    explicit communicator(mpi_handle comm, const communicator_options& options = {});
    communicator(communicator&&) noexcept;
    communicator& operator=(communicator&&) noexcept;
    ~communicator();

    [[nodiscard]] int rank() const noexcept;
    [[nodiscard]] int size() const noexcept;
    /// Number of this rank's node, counted by lowest rank; ranks share a node where they can share memory.
    [[nodiscard]] int node() const noexcept;
    [[nodiscard]] int nodes() const noexcept;
    [[nodiscard]] rankfold::backend backend() const noexcept;     ///< never `automatic`
    [[nodiscard]] rankfold::transport transport() const noexcept; ///< never `automatic`
    /// CUDA ordinal of this rank's GPU; -1 on the host backend.
    [[nodiscard]] int device() const noexcept;
    /// OpenMP threads of this rank's local phases on the host backend.
    [[nodiscard]] int threads() const noexcept;

    /// A table of ranks, nodes, GPUs, threads and the transport with the reason for it, the time that the
    /// construction took and the GPU memory held. Local: gathered at construction.
    [[nodiscard]] const std::string& describe() const noexcept;

    /// Waits until everything queued on `stream` is done, or a peer has failed, or the deadline passes.
    /// @throws error what failed, with the table of calls if ranks disagreed; (usage) if `stream` is being
    /// captured
    void wait(CUstream_st* stream);
    /// errc::success, or why the communicator failed; does not block.
    [[nodiscard]] errc status() const noexcept;
    /// Marks the communicator failed: waits of this rank end with errc::failed. Any thread. Other ranks of
    /// the node find out at once, ranks of other nodes when this one next calls or destroys the communicator.
    void abort() noexcept;

    /// Writes this rank's last 64 calls: number, what, label, source line, fingerprint, begin and end, and
    /// what came of them. JSON lines; `rankfold-flight FILES` finds where the records of all ranks diverge.
    /// Local, allowed at any time, also after a failure. The same is written to the directory of
    /// `communicator_options::flight_dir` when a call fails, as
    /// `rankfold-<communicator>-rank<rank>.jsonl`.
    /// @throws error (backend) if the file cannot be written
    void write_flight_record(const std::string& path) const;

    /// For the library's own layers.
    [[nodiscard]] const std::shared_ptr<detail::communicator_state>& state() const noexcept { return state_; }

private:
    std::shared_ptr<detail::communicator_state> state_;
};

} // namespace rankfold
