// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_check.hpp"
#include "runtime/nccl_check.hpp"
#include "transport/device_gather.hpp"

namespace rankfold::detail {
namespace {

class nccl_gather final : public device_gather {
public:
    nccl_gather(nccl_communicator& comm, int rank, int size) : comm_(comm), rank_(rank), size_(size) {}

    void run(const std::byte* own, std::byte* blocks, std::size_t bytes, const place& where) override
    {
        if (size_ < all_reduce_ranks) {
            RANKFOLD_NCCL(ncclAllGather(own, blocks, bytes, ncclUint8, comm_.handle(), where.stream));
            return;
        }
        // Each block is zero on all ranks but one, so that a sum of integers moves it unchanged.
        std::byte* place_of_own = blocks + static_cast<std::size_t>(rank_) * bytes;
        const std::size_t total = static_cast<std::size_t>(size_) * bytes;
        const std::size_t before = static_cast<std::size_t>(rank_) * bytes;
        if (own != place_of_own) {
            RANKFOLD_CUDA(cudaMemcpyAsync(place_of_own, own, bytes, cudaMemcpyDeviceToDevice, where.stream));
        }
        RANKFOLD_CUDA(cudaMemsetAsync(blocks, 0, before, where.stream));
        RANKFOLD_CUDA(cudaMemsetAsync(place_of_own + bytes, 0, total - before - bytes, where.stream));
        RANKFOLD_NCCL(
            ncclAllReduce(blocks, blocks, total / 4, ncclUint32, ncclSum, comm_.handle(), where.stream));
    }

    bool abort(double seconds) noexcept override { return comm_.abort(seconds); }

private:
    nccl_communicator& comm_;
    int rank_;
    int size_;
};

} // namespace

std::unique_ptr<device_gather> make_nccl_gather(nccl_communicator& comm, int rank, int size)
{
    return std::make_unique<nccl_gather>(comm, rank, size);
}

} // namespace rankfold::detail
