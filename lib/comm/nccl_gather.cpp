// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "nccl_gather.hpp"

#include "check.hpp"
#include "cuda_check.hpp"

#include <atomic>
#include <chrono>
#include <nccl.h>
#include <thread>

namespace rankfold::detail {
namespace {

[[noreturn]] void throw_nccl_error(ncclResult_t code, const char* what)
{
    throw error(errc::backend, error_origin::nccl, code, -1,
                std::string(what) + ": " + ncclGetErrorString(code) + " (" + ncclGetLastError(nullptr) + ")");
}

} // namespace

#define RANKFOLD_NCCL(call)                                                                                  \
    do {                                                                                                     \
        if (const ncclResult_t rankfold_code = (call); rankfold_code != ncclSuccess) {                       \
            throw_nccl_error(rankfold_code, #call);                                                          \
        }                                                                                                    \
    } while (false)

nccl_versions versions_of_nccl()
{
    int runtime = 0;
    ncclGetVersion(&runtime);
    return {NCCL_VERSION_CODE, runtime};
}

namespace {

/// Calls a function of NCCL that may not return in a thread of its own.
bool bounded(double seconds, ncclResult_t (*function)(ncclComm_t), ncclComm_t comm) noexcept
{
    auto done = std::make_shared<std::atomic<bool>>(false);
    std::thread([=] {
        function(comm);
        done->store(true);
    }).detach();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!done->load() && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return done->load();
}

class nccl_gather_over_mpi final : public nccl_gather {
public:
    nccl_gather_over_mpi(MPI_Comm comm, int rank, int size) : rank_(rank), size_(size)
    {
        ncclUniqueId id{};
        if (rank == 0) {
            RANKFOLD_NCCL(ncclGetUniqueId(&id));
        }
        RANKFOLD_MPI(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, comm));
        // Some MPIs leave a broadcast half sent until the next call: nobody enters NCCL before all have the
        // id.
        RANKFOLD_MPI(MPI_Barrier(comm));
        RANKFOLD_NCCL(ncclCommInitRank(&comm_, size, id, rank));
    }

    ~nccl_gather_over_mpi() override
    {
        if (comm_ != nullptr) {
            ncclCommDestroy(comm_);
        }
    }
    nccl_gather_over_mpi(const nccl_gather_over_mpi&) = delete;
    nccl_gather_over_mpi& operator=(const nccl_gather_over_mpi&) = delete;

    void run(const std::byte* own, std::byte* blocks, std::size_t bytes, CUstream_st* stream) override
    {
        if (size_ < all_reduce_ranks) {
            RANKFOLD_NCCL(ncclAllGather(own, blocks, bytes, ncclUint8, comm_, stream));
            return;
        }
        // Each block is zero on all ranks but one, so that a sum of integers moves it unchanged.
        std::byte* place = blocks + static_cast<std::size_t>(rank_) * bytes;
        const std::size_t total = static_cast<std::size_t>(size_) * bytes;
        const std::size_t before = static_cast<std::size_t>(rank_) * bytes;
        if (own != place) {
            RANKFOLD_CUDA(cudaMemcpyAsync(place, own, bytes, cudaMemcpyDeviceToDevice, stream));
        }
        RANKFOLD_CUDA(cudaMemsetAsync(blocks, 0, before, stream));
        RANKFOLD_CUDA(cudaMemsetAsync(place + bytes, 0, total - before - bytes, stream));
        RANKFOLD_NCCL(ncclAllReduce(blocks, blocks, total / 4, ncclUint32, ncclSum, comm_, stream));
    }

    [[nodiscard]] ncclComm* handle() const noexcept override { return comm_; }

    const char* asynchronous_error() override
    {
        ncclResult_t status = ncclSuccess;
        ncclCommGetAsyncError(comm_, &status);
        return status == ncclSuccess || status == ncclInProgress ? nullptr : ncclGetErrorString(status);
    }

    bool abort(double seconds) noexcept override
    {
        ncclComm_t comm = std::exchange(comm_, nullptr);
        return comm == nullptr || bounded(seconds, ncclCommAbort, comm);
    }

private:
    int rank_;
    int size_;
    ncclComm_t comm_ = nullptr;
};

} // namespace

std::unique_ptr<nccl_gather> nccl_gather::make(MPI_Comm comm, int rank, int size)
{
    return std::make_unique<nccl_gather_over_mpi>(comm, rank, size);
}

} // namespace rankfold::detail
