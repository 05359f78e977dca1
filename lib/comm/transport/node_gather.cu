// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks of all ranks on several nodes of as many GPUs each. Blocks are forwarded, never folded, so that
// placement changes no bit.
//
//   1. Within the node: every rank's block to every rank, through mailboxes. The fingerprint of this exchange
//      is always the same: calls are compared later, where all blocks are.
//   2. Between the nodes: the node's blocks to the ranks of the same place in the other nodes, by an
//      all-gather of NCCL. As every rank forwards, none has to hand back what a leader got, and every network
//      adapter carries a share.
//   3. Blocks from the order of nodes to the order of ranks.
//
// What did not come in step 1 is forwarded as an error, so that the other nodes do not fold an old block.
#include "runtime/cuda_check.hpp"
#include "runtime/device_runtime.hpp"
#include "runtime/nccl_check.hpp"
#include "transport/device_gather.hpp"

#include "rankfold/device/launch.cuh"
#include "rankfold/device/place_rows.cuh"
#include "rankfold/error.hpp"

#include <algorithm>

namespace rankfold::detail {
namespace {

class node_gather final : public device_gather {
public:
    explicit node_gather(const node_gather_request& request)
        : request_(request), layout_(request.layout), place_(layout_.place_of(request.rank)),
          node_(request.whole, request.mpi, request.device, layout_.node_of(request.rank), place_,
                request.mailbox.set_up_s),
          rail_(request.whole, request.mpi, request.device, place_, layout_.node_of(request.rank),
                request.mailbox.set_up_s)
    {
    }

    ~node_gather() override
    {
        for (void* memory : {near_, far_, static_cast<void*>(order_)}) {
            device_runtime::release(memory, request_.mailbox.stream);
        }
    }
    node_gather(const node_gather&) = delete;
    node_gather& operator=(const node_gather&) = delete;

    /// Collective. False on all ranks if one cannot.
    bool set_up(std::string& why_not)
    {
        mailbox_request within = request_.mailbox;
        within.comm = node_.handle();
        within.mpi = request_.mpi;
        within.rank = place_;
        within.size = layout_.ranks_per_node;
        mailbox_ = peer_mailbox::make(within, why_not);
        if (!mailbox_) {
            return false;
        }
        CUstream_st* const stream = request_.mailbox.stream;
        near_ = device_runtime::allocate(near_bytes(), stream);
        far_ = device_runtime::allocate(far_bytes(), stream);
        const std::size_t order_bytes = layout_.rank_at.size() * sizeof(std::int32_t);
        order_ = static_cast<std::int32_t*>(device_runtime::allocate(order_bytes, stream));
        device_runtime::copy(order_, layout_.rank_at.data(), order_bytes, stream);
        RANKFOLD_CUDA(cudaStreamSynchronize(stream));
        return true;
    }

    void run(const std::byte* own, std::byte* blocks, std::size_t /*bytes*/, const place& where) override
    {
        constexpr int words = sizeof(slot) / 4;
        RANKFOLD_CUDA(cudaMemsetAsync(near_, static_cast<int>(errc::timeout), near_bytes(), where.stream));
        mailbox_->run(fingerprint{},
                      {.own = reinterpret_cast<const std::uint32_t*>(own),
                       .words = words,
                       .received = static_cast<std::uint32_t*>(near_),
                       .stride_words = words},
                      where);
        RANKFOLD_NCCL(ncclAllGather(near_, far_, near_bytes(), ncclUint8, rail_.handle(), where.stream));
        device::launch<device::place_rows_kernel>("place_rows_kernel",
                                                  static_cast<int>(layout_.rank_at.size()),
                                                  {.from = static_cast<const std::uint32_t*>(far_),
                                                   .to = reinterpret_cast<std::uint32_t*>(blocks),
                                                   .place_of = order_,
                                                   .row_words = words},
                                                  where);
    }

    std::vector<int> missing() const override
    {
        const std::vector<int> places = mailbox_->missing();
        if (std::find(places.begin(), places.end(), place_) != places.end()) {
            return {}; // this rank sends to itself too: the exchange that failed was not the node's
        }
        std::vector<int> ranks;
        const int first = layout_.node_of(request_.rank) * layout_.ranks_per_node;
        for (const int place : places) {
            ranks.push_back(layout_.rank_at[static_cast<std::size_t>(first + place)]);
        }
        return ranks;
    }

    bool abort(double seconds) noexcept override
    {
        mailbox_->abort(); // NCCL has nothing queued within the node, and the mailbox needs its communicator
        return rail_.abort(seconds);
    }

    std::size_t bytes() const noexcept override { return near_bytes() + far_bytes() + mailbox_->bytes(); }

private:
    std::size_t near_bytes() const { return static_cast<std::size_t>(layout_.ranks_per_node) * sizeof(slot); }
    std::size_t far_bytes() const { return layout_.rank_at.size() * sizeof(slot); }

    node_gather_request request_;
    node_layout layout_;
    int place_;
    nccl_communicator node_; ///< of the ranks of this node
    nccl_communicator rail_; ///< of the ranks of the same place in all nodes
    std::unique_ptr<peer_mailbox> mailbox_;
    void* near_ = nullptr; // of this node, by place
    void* far_ = nullptr;  // of all nodes, by node and place
    std::int32_t* order_ = nullptr;
};

} // namespace

std::unique_ptr<device_gather> make_node_gather(const node_gather_request& request, std::string& why_not)
{
    auto gather = std::make_unique<node_gather>(request);
    return gather->set_up(why_not) ? std::move(gather) : nullptr;
}

} // namespace rankfold::detail
