// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of a communicator's backend: of one GPU, or of the host.
#pragma once

#include "company.hpp"
#include "deferred_memory.hpp"
#include "runtime/owned_device.hpp"

#include "rankfold/operation.hpp"

#include <memory>
#include <optional>
#include <string>

namespace rankfold::detail {

class memory_space {
public:
    /// @param device  CUDA ordinal, -1: host memory
    memory_space(int device, int rank);
    ~memory_space();
    memory_space(const memory_space&) = delete;
    memory_space& operator=(const memory_space&) = delete;

    /// Zeroed. @throws error (out_of_memory)
    void* allocate(std::size_t bytes);
    /// Where calls may still work on it, it is kept until they have ended.
    /// @throws error (backend) where the device cannot be made current
    void release(void* memory);
    /// Call `number` was queued on a stream; or captured there: what it works on has to outlive the graph.
    void note_queued(CUstream_st* stream, std::uint64_t number) noexcept;
    /// Whatever was queued on a stream has ended.
    void note_ended(CUstream_st* stream) noexcept;
    /// Whether calls may run of which nobody has noted the end.
    [[nodiscard]] bool may_run() const noexcept { return captured_ || deferred_.may_run(); }
    /// Waits until the GPU has ended all that it was given, for so long. False if it has not.
    [[nodiscard]] bool device_ends(double seconds);
    /// In stream order on a GPU; at once on the host.
    void copy(void* to, const void* from, std::size_t bytes, CUstream_st* stream);

    /// Waits for what was copied on the own stream, which never waits for other ranks but in calls.
    void wait() const;

    /// Of the library's own work; null on the host.
    [[nodiscard]] CUstream_st* own_stream() const noexcept { return stream_.get(); }
    /// To reach the device while other streams wait.
    [[nodiscard]] CUstream_st* rescue_stream() const noexcept { return rescue_.get(); }
    [[nodiscard]] int multiprocessors() const noexcept { return gpu_.multiprocessors; }
    /// From here on kernels of this communicator may wait for other ranks.
    void expect_waits() { company_ = std::make_unique<company>(device_); }
    /// Whether those of another one may, too.
    [[nodiscard]] bool has_company() const noexcept { return company_ && company_->has_others(); }
    /// Of the GPU's memory that the communicator itself holds here.
    [[nodiscard]] std::size_t bytes() const noexcept { return failure_.get() ? sizeof(failure_word) : 0; }

    /// Why the backend cannot use what is at `memory`; empty if it can.
    [[nodiscard]] std::string why_unreachable(const void* memory) const;
    [[nodiscard]] bool needs_staging(const void* memory) const;
    /// The device of a stream, where it is not this one's.
    [[nodiscard]] std::optional<int> other_device_of(CUstream_st* stream) const;
    [[nodiscard]] bool is_capturing(CUstream_st* stream) const;

    /// Where kernels of call `number` report.
    [[nodiscard]] failure_report report_of(std::uint64_t number) const noexcept;
    /// What a kernel has reported; code 0: nothing. Any thread.
    [[nodiscard]] failure_word reported() const noexcept;
    /// Tells the kernels that the communicator has failed, whatever streams wait for. Any thread.
    void tell_kernels(const failure_word& failed);

    /// Kernels may still use what belongs to the communicator: it is not given back.
    void leak() noexcept;

private:
    void free_deferred() noexcept;

    int device_;
    int rank_;
    device_runtime::properties gpu_{};
    owned_stream stream_;
    owned_stream rescue_; ///< to reach the device while `stream_` waits for other ranks
    owned_device_memory<failure_word> failure_;
    owned_pinned<failure_word> mirror_;
    deferred_memory deferred_;
    bool captured_ = false; ///< a call at least: replays are not known of
    std::unique_ptr<company> company_;
};

} // namespace rankfold::detail
