// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Through NCCL, in stream order: among all ranks alike, or within nodes by mailboxes and between them by
// NCCL.
#include "memory_space.hpp"
#include "transport/device_gather.hpp"
#include "transport/queue_marks.hpp"
#include "transport/queued.hpp"
#include "watch/failure.hpp"

#include <algorithm>

namespace rankfold::detail {
namespace {

class nccl_transport final : public exchange_transport {
public:
    nccl_transport(const transport_context& context, std::unique_ptr<nccl_communicator> nccl,
                   std::unique_ptr<device_gather> within_nodes)
        : context_(context), nccl_(std::move(nccl)), gather_(std::move(within_nodes)),
          marks_(context.comm.memory.own_stream()),
          barrier_(static_cast<std::size_t>(context.comm.self.size), context.comm.memory.own_stream())
    {
        if (!gather_) {
            gather_ = make_nccl_gather(*nccl_, context.comm.self.rank, context.comm.self.size);
        }
    }

    bool blocks() const noexcept override { return false; }

    void exchange(const call_description& call, exchange_buffers& buffers, CUstream_st* stream) override
    {
        slot* const own = buffers.slot_of(context_.comm.self.rank);
        const place where = context_.comm.place_on(stream, call.number);
        if (buffers.overflow.data() == nullptr) {
            run(own, call.head, buffers.slot_of(0), where);
        } else {
            run_in_rounds(own, call.head, buffers, where);
        }
    }

    /// As many rounds as the others of the call go, who cannot know.
    void refuse(const call_description& call, std::size_t row_bytes, CUstream_st* stream) override
    {
        const place where = context_.comm.place_on(stream, call.number);
        slot* const own = barrier_.get() + context_.comm.self.rank;
        marks_.open(own, call.head, where);
        for (std::size_t done = 0; done == 0 || done < row_bytes; done += slot_payload_bytes) {
            gather(own, barrier_.get(), where);
        }
        marks_.close(where);
        context_.failure.finish(call, stream); // the error slot has left: the others will find it
        context_.failure.raise_together(call, false);
    }

    void meet(const call_description& call) override
    {
        context_.failure.wait_for_gpu(call);
        memory_space& memory = context_.comm.memory;
        CUstream_st* const stream = memory.own_stream();
        std::vector<slot> slots(static_cast<std::size_t>(context_.comm.self.size));
        fingerprint expected{};
        expected.kind = call_kind::make_plan;
        slot* const own = barrier_.get() + context_.comm.self.rank;
        run(own, expected, barrier_.get(), context_.comm.place_on(stream, call.number));
        context_.failure.poll(call, stream);
        memory.copy(slots.data(), barrier_.get(), slots.size() * sizeof(slot), stream);
        context_.failure.poll(call, stream);
        if (!std::all_of(slots.begin(), slots.end(),
                         [&](const slot& s) { return same_call(s.head, expected); })) {
            context_.failure.raise_together(call, false);
        }
    }

    std::vector<int> missing() const override { return gather_->missing(); }
    const char* asynchronous_error() const noexcept override { return nccl_->asynchronous_error(); }
    std::optional<exchange_mark> under_way() const noexcept override { return marks_.under_way(); }
    bool abort(double seconds) noexcept override
    {
        return seconds > 0 && (!gather_ || gather_->abort(seconds));
    }

    void end(bool failed) override
    {
        if (failed) {
            gather_->abort(end_s);
        }
        gather_.reset();
        if (failed) {
            nccl_->abort(end_s);
        }
        nccl_.reset();
    }

    std::size_t bytes() const noexcept override
    {
        return static_cast<std::size_t>(context_.comm.self.size) * sizeof(slot) + gather_->bytes();
    }

private:
    void gather(const slot* own, slot* slots, const place& where)
    {
        gather_->run(reinterpret_cast<const std::byte*>(own), reinterpret_cast<std::byte*>(slots),
                     sizeof(slot), where);
    }

    /// One exchange of slots, marked for the watchdog.
    void run(slot* own, const fingerprint& head, slot* slots, const place& where)
    {
        marks_.open(own, head, where);
        gather(own, slots, where);
        marks_.close(where);
    }

    /// Rows that do not fit a slot go in rounds of one slot each: every message of the communicator has the
    /// same size, whatever is called.
    void run_in_rounds(slot* own, const fingerprint& head, exchange_buffers& buffers, const place& where)
    {
        const auto ranks = static_cast<std::size_t>(context_.comm.self.size);
        const std::byte* const row = buffers.records_of(context_.comm.self.rank);
        marks_.open(own, head, where);
        for (std::size_t done = 0; done < buffers.row_bytes;) {
            const std::size_t part = std::min(slot_payload_bytes, buffers.row_bytes - done);
            context_.comm.memory.copy(own->payload, row + done, part, where.stream);
            gather(own, buffers.slot_of(0), where);
            device_runtime::copy_rows(buffers.records_of(0) + done, buffers.row_bytes,
                                      buffers.slot_of(0)->payload, sizeof(slot), part, ranks, where.stream);
            done += part;
        }
        marks_.close(where);
    }

    transport_context context_;
    std::unique_ptr<nccl_communicator> nccl_;
    std::unique_ptr<device_gather> gather_;
    queue_marks marks_;
    owned_device_memory<slot> barrier_; ///< where ranks that make a plan meet: one per rank
};

} // namespace

std::shared_ptr<exchange_transport> make_nccl_transport(const transport_context& context,
                                                        std::unique_ptr<nccl_communicator> nccl,
                                                        std::unique_ptr<device_gather> within_nodes)
{
    return std::make_shared<nccl_transport>(context, std::move(nccl), std::move(within_nodes));
}

} // namespace rankfold::detail
