// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How slots travel from every rank to every rank. One file implements one way; setup/path.cpp chooses.
#pragma once

#include "comm/exchange_buffers.hpp"
#include "comm_context.hpp"

#include "rankfold/exchange_mark.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankfold::detail {

class failure_handler;
struct choice_of_path;

struct transport_context {
    comm_context comm;
    failure_handler& failure;
};

class exchange_transport {
public:
    virtual ~exchange_transport() = default;
    exchange_transport(const exchange_transport&) = delete;
    exchange_transport& operator=(const exchange_transport&) = delete;

    /// True where the host waits for other ranks inside a call; else calls are queued on streams.
    [[nodiscard]] virtual bool blocks() const noexcept = 0;
    /// How buffers for rows of `row_bytes` lie. Their memory is allocated by the caller.
    struct layout {
        std::size_t slot_stride = sizeof(slot);
        bool overflows = false;  ///< records lie apart from the slots
        bool needs_host = false; ///< copies of both in host memory
    };
    [[nodiscard]] virtual layout layout_of(std::size_t row_bytes) const
    {
        return {.overflows = row_bytes > slot_payload_bytes};
    }

    /// What lets a kernel exchange and fold by itself; none where it cannot.
    [[nodiscard]] virtual std::optional<conclusion> in_kernel(const fingerprint&, const exchange_buffers&,
                                                              const fold_task&) const
    {
        return {};
    }
    /// Every rank's slot, and what overflows, to every rank. @throws error, alike on all ranks where it
    /// blocks
    virtual void exchange(const call_description& call, exchange_buffers& buffers, CUstream_st* stream) = 0;
    /// Takes part with an error slot, without buffers: they may be what is not to be had.
    /// @throws error, always
    virtual void refuse(const call_description& call, std::size_t row_bytes, CUstream_st* stream) = 0;
    /// Waits until all ranks have come to this, behind everything that they have queued. @throws error
    virtual void meet(const call_description& call) = 0;

    /// Ranks known not to have come to the exchange that failed. Blocks.
    [[nodiscard]] virtual std::vector<int> missing() const { return {}; }
    /// An error of the library below that came up since, or null.
    [[nodiscard]] virtual const char* asynchronous_error() const noexcept { return nullptr; }
    /// An exchange that is under way on the GPU, for the watchdog. Any thread.
    [[nodiscard]] virtual std::optional<exchange_mark> under_way() const noexcept { return {}; }
    /// Ends what is queued. Any thread. False if that took longer than `seconds`; 0: only what takes no time.
    virtual bool abort(double /*seconds*/) noexcept { return true; }
    /// Tells kernels of other ranks that wait for this one that it has failed; its own have been told. Any
    /// thread.
    virtual void tell_failure(const call_description& /*call*/) noexcept {}
    /// Gives back what belongs to other libraries; may wait for them.
    /// @param failed  do not count on other ranks
    virtual void end(bool /*failed*/) {}
    /// GPU memory held.
    [[nodiscard]] virtual std::size_t bytes() const noexcept { return 0; }
    /// Goes on as if there had been so many calls that about `calls` are left before epochs repeat (tests).
    /// All ranks, between calls, after equally many. Blocks.
    virtual void approach_wrap(std::uint32_t /*calls*/) {}

protected:
    exchange_transport() = default;
};

std::shared_ptr<exchange_transport> make_self_transport(const transport_context& context);
std::shared_ptr<exchange_transport> make_mpi_transport(const transport_context& context);
/// Mailboxes where all ranks reach each other's memory, else NCCL; `path` is told which. Collective.
std::shared_ptr<exchange_transport> make_queued_transport(const transport_context& context,
                                                          choice_of_path& path);

/// How long the end of something that failed may take.
inline constexpr double end_s = 10;
/// How long other libraries may take to set up or to end what has not failed, however short the deadline of
/// calls is.
inline double unhurried(double timeout_s)
{
    return timeout_s < 60 ? 60 : timeout_s;
}

} // namespace rankfold::detail
