// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// 1. Memory from NCCL, zeroed, registered as a symmetric window of all ranks.
// 2. A device communicator tells how many ranks share an NVLink domain; all of them must.
// 3. A set-up kernel turns NCCL's pointers into a table of plain ones, which also measured faster.
// 4. No rank sends before all have come this far.
// Multicast is never asked for.
#include "transport/peer_mailbox.hpp"

#include "runtime/cuda_check.hpp"
#include "runtime/device_runtime.hpp"
#include "runtime/mpi_check.hpp"
#include "runtime/nccl_check.hpp"
#include "watch/run_with_deadline.hpp"

#include "rankfold/device/exchange.cuh"
#include "rankfold/device/launch.cuh"

#include <nccl_device.h>

#include <algorithm>

namespace rankfold::detail {
namespace {

__global__ void collect_pointers_kernel(ncclWindow_t window, int ranks, std::uint64_t** peers)
{
    for (int r = static_cast<int>(threadIdx.x); r < ranks; r += static_cast<int>(blockDim.x)) {
        peers[r] = static_cast<std::uint64_t*>(ncclGetLsaPointer(window, 0, r));
    }
}

/// Longer than anybody waits, and short enough for nanoseconds in 63 bits.
constexpr double longest_s = 9e9;

/// A copy from the GPU takes so long at most, whatever else it copies.
constexpr double look_s = 1;

/// What the host sees of a rank's mailbox, in pinned memory: the first word of each slot.
struct mailbox_sight {
    std::uint32_t epoch;
    std::uint64_t heads[2 * device::max_mailbox_ranks];
};

/// One allocation beside the mailbox, in device memory: epoch and table of pointers.
struct control_block {
    std::uint32_t epoch;
    std::uint32_t pad;
    std::uint64_t* peers[1];
};

class nccl_mailbox final : public peer_mailbox {
public:
    explicit nccl_mailbox(const mailbox_request& request) : request_(request) {}
    nccl_mailbox(const nccl_mailbox&) = delete;
    nccl_mailbox& operator=(const nccl_mailbox&) = delete;

    ~nccl_mailbox() override
    {
        if (has_device_comm_) {
            ncclDevCommDestroy(request_.comm, &device_comm_);
        }
        if (window_ != nullptr) {
            ncclCommWindowDeregister(request_.comm, window_);
        }
        if (memory_ != nullptr) {
            ncclMemFree(memory_);
        }
        cudaFree(control_);
        cudaFreeHost(abort_);
        cudaFreeHost(seen_);
    }

    /// Returns why this rank cannot, alike on all ranks as far as NCCL sees it, or an empty text.
    /// @throws error what went wrong on this rank alone; the others may wait for it in NCCL
    std::string set_up()
    {
        if (request_.size > device::max_mailbox_ranks) {
            return std::to_string(request_.size) + " ranks, mailboxes serve " +
                   std::to_string(device::max_mailbox_ranks);
        }
        const std::size_t bytes =
            device::mailbox_words(request_.size, mailbox_slot_words) * sizeof(std::uint64_t);
        RANKFOLD_NCCL(ncclMemAlloc(&memory_, bytes));
        RANKFOLD_CUDA(cudaMemsetAsync(memory_, 0, bytes, request_.stream));
        RANKFOLD_CUDA(cudaStreamSynchronize(request_.stream));
        if (const ncclResult_t status =
                ncclCommWindowRegister(request_.comm, memory_, bytes, &window_, NCCL_WIN_COLL_SYMMETRIC);
            status != ncclSuccess || window_ == nullptr) {
            return std::string("NCCL registers no symmetric window: ") + ncclGetErrorString(status);
        }
        ncclDevCommRequirements requirements{};
        if (const ncclResult_t status = ncclDevCommCreate(request_.comm, &requirements, &device_comm_);
            status != ncclSuccess) {
            return std::string("ncclDevCommCreate: ") + ncclGetErrorString(status);
        }
        has_device_comm_ = true;
        device::make_ready<device::exchange_kernel>("exchange_kernel");
        if (device_comm_.lsaSize != request_.size) {
            return "only " + std::to_string(device_comm_.lsaSize) + " of " + std::to_string(request_.size) +
                   " ranks reach each other's memory";
        }
        make_view();
        return {};
    }

    const device::mailbox_view& view() const noexcept override { return view_; }

    void run(const fingerprint& head, const device::payload& row, const place& where) override
    {
        device::launch<device::exchange_kernel>(
            "exchange_kernel", 1, {.view = view_, .head = head, .row = row, .failure = where.failure}, where);
    }

    std::vector<int> missing() const override
    {
        std::vector<int> ranks;
        if (!look()) {
            return ranks;
        }
        const std::uint32_t failed = device::epoch_after(seen_->epoch & device::last_epoch);
        for (int r = 0; r < view_.count; ++r) {
            const std::uint64_t word = seen_->heads[static_cast<int>(failed & 1) * view_.count + r];
            if (static_cast<std::uint32_t>(word >> 32) != failed) {
                ranks.push_back(r);
            }
        }
        return ranks;
    }

    void approach_wrap(std::uint32_t calls) override
    {
        if (!look()) {
            throw error(errc::timeout, error_origin::cuda, 0, request_.rank, "the GPU's epoch was not read");
        }
        const std::uint32_t wanted = device::last_epoch - calls;
        seen_->epoch = wanted - ((wanted ^ seen_->epoch) & 1); // the next call still takes the other half
        device_runtime::copy(view_.epoch, &seen_->epoch, sizeof seen_->epoch, request_.rescue);
        device_runtime::finishes_within(look_s, request_.rescue);
    }

    std::size_t bytes() const noexcept override
    {
        return device::mailbox_words(request_.size, mailbox_slot_words) * sizeof(std::uint64_t) +
               control_bytes();
    }

    void abort() noexcept override { __atomic_store_n(abort_, 1U, __ATOMIC_RELEASE); }

private:
    /// False where it takes too long. By no stream that waits for others, as the legacy stream does.
    bool look() const
    {
        const device_runtime::beside_captures aside;
        if (!device_runtime::finishes_within(look_s, request_.rescue)) {
            return false;
        }
        constexpr std::size_t word = sizeof(std::uint64_t);
        device_runtime::copy(&seen_->epoch, view_.epoch, sizeof seen_->epoch, request_.rescue);
        device_runtime::copy_rows(seen_->heads, word, view_.own,
                                  static_cast<std::size_t>(view_.slot_words) * word, word,
                                  std::size_t{2} * static_cast<std::size_t>(view_.count), request_.rescue);
        return device_runtime::finishes_within(look_s, request_.rescue);
    }

    std::size_t control_bytes() const
    {
        return sizeof(control_block) + static_cast<std::size_t>(request_.size) * sizeof(void*);
    }

    void make_view()
    {
        RANKFOLD_CUDA(cudaMalloc(&control_, control_bytes()));
        RANKFOLD_CUDA(cudaMemsetAsync(control_, 0, control_bytes(), request_.stream));
        abort_ = static_cast<std::uint32_t*>(device_runtime::allocate_pinned(sizeof *abort_));
        seen_ = static_cast<mailbox_sight*>(device_runtime::allocate_pinned(sizeof *seen_));
        std::uint64_t** const peers = control_->peers;
        cudaLaunchConfig_t config{};
        config.gridDim = dim3(1);
        config.blockDim = dim3(32);
        config.stream = request_.stream;
        RANKFOLD_CUDA(cudaLaunchKernelEx(&config, collect_pointers_kernel, window_, request_.size, peers));
        std::uint64_t* own = nullptr;
        RANKFOLD_CUDA(cudaMemcpyAsync(&own, peers + request_.rank, sizeof own, cudaMemcpyDeviceToHost,
                                      request_.stream));
        RANKFOLD_CUDA(cudaStreamSynchronize(request_.stream));
        view_ = {.peers = peers,
                 .own = own,
                 .rank = request_.rank,
                 .count = request_.size,
                 .slot_words = mailbox_slot_words,
                 .epoch = &control_->epoch,
                 .abort = abort_,
                 .timeout_ns = static_cast<std::uint64_t>(std::min(request_.timeout_s, longest_s) * 1e9)};
    }

    mailbox_request request_;
    void* memory_ = nullptr;
    ncclWindow_t window_ = nullptr;
    ncclDevComm device_comm_{};
    bool has_device_comm_ = false;
    control_block* control_ = nullptr;
    std::uint32_t* abort_ = nullptr;
    mailbox_sight* seen_ = nullptr;
    device::mailbox_view view_{};
};

} // namespace

std::unique_ptr<peer_mailbox> peer_mailbox::make(const mailbox_request& request, std::string& why_not)
{
    struct trial {
        std::unique_ptr<nccl_mailbox> mailbox;
        std::string why_not;
    };
    const auto tried = std::make_shared<trial>();
    tried->mailbox = std::make_unique<nccl_mailbox>(request);
    int device = 0;
    RANKFOLD_CUDA(cudaGetDevice(&device));
    const auto set_up = [tried, device] {
        RANKFOLD_CUDA(cudaSetDevice(device));
        tried->why_not = tried->mailbox->set_up();
    };
    const std::string problems = problems_of(run_with_deadline(request.mpi, set_up, request.set_up_s));
    if (!problems.empty()) { // then NCCL's communicator may be in the middle of a step
        throw error(errc::backend, error_origin::nccl, 0, -1, "mailboxes: " + problems);
    }
    why_not = tried->why_not;
    int all_can = why_not.empty() ? 1 : 0;
    RANKFOLD_MPI(MPI_Allreduce(MPI_IN_PLACE, &all_can, 1, MPI_INT, MPI_MIN, request.mpi));
    return all_can ? std::move(tried->mailbox) : nullptr;
}

} // namespace rankfold::detail
