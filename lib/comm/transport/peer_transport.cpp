// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Through mailboxes in the memory of every GPU of an NVLink domain: kernels exchange by themselves.
#include "comm/error.hpp"
#include "memory_space.hpp"
#include "transport/queued.hpp"
#include "watch/failure.hpp"

namespace rankfold::detail {
namespace {

class peer_transport final : public exchange_transport {
public:
    peer_transport(const transport_context& context, std::unique_ptr<nccl_communicator> nccl,
                   std::unique_ptr<peer_mailbox> mailbox)
        : context_(context), nccl_(std::move(nccl)), mailbox_(std::move(mailbox))
    {
    }

    bool blocks() const noexcept override { return false; }

    /// One message of any length that the mailbox takes.
    layout layout_of(std::size_t row_bytes) const override
    {
        const bool fits = row_bytes <= slot_payload_bytes;
        return {.slot_stride = fits ? sizeof(slot) : sizeof(fingerprint) + (row_bytes + 15) / 16 * 16};
    }

    std::optional<conclusion> in_kernel(const fingerprint& head, const exchange_buffers& buffers,
                                        const fold_task& fold) const override
    {
        return conclusion{
            .mail = mailbox_->view(), .head = head, .received = buffers.records_of(0), .fold = fold};
    }

    void exchange(const call_description& /*call*/, exchange_buffers& /*buffers*/,
                  CUstream_st* /*stream*/) override
    {
        throw_usage("exchange: transport peer exchanges in kernels alone", context_.comm.self.rank);
    }

    void refuse(const call_description& call, std::size_t /*row_bytes*/, CUstream_st* stream) override
    {
        mailbox_->run(call.head, {}, context_.comm.place_on(stream, call.number));
        context_.failure.finish(call, stream); // the error slot has left: the others will find it
        context_.failure.raise_together(call, false);
    }

    /// The kernel compares fingerprints itself.
    void meet(const call_description& call) override
    {
        context_.failure.wait_for_gpu(call);
        CUstream_st* const stream = context_.comm.memory.own_stream();
        fingerprint expected{};
        expected.kind = call_kind::make_plan;
        mailbox_->run(expected, {}, context_.comm.place_on(stream, call.number));
        context_.failure.poll(call, stream);
    }

    std::vector<int> missing() const override { return mailbox_->missing(); }

    const char* asynchronous_error() const noexcept override { return nccl_->asynchronous_error(); }

    bool abort(double /*seconds*/) noexcept override
    {
        if (mailbox_) {
            mailbox_->abort();
        }
        return true;
    }

    /// A kernel that finds its rank failed sends just that.
    void tell_failure(const call_description& call) noexcept override
    {
        try {
            const device_runtime::guard current(context_.comm.self.device);
            CUstream_st* const stream = context_.comm.memory.own_stream();
            mailbox_->run(call.head, {}, context_.comm.place_on(stream, call.number));
            context_.comm.memory.note_queued(stream, call.number); // nobody waits for it before the end
        } catch (const error& problem) {
            context_.comm.log.write(log_level::warn, problem.text());
        }
    }

    void end(bool failed) override
    {
        if (failed) {
            mailbox_->abort();
        }
        mailbox_.reset();
        if (failed) {
            nccl_->abort(end_s);
        }
        nccl_.reset();
    }

    std::size_t bytes() const noexcept override { return mailbox_->bytes(); }

    void approach_wrap(std::uint32_t calls) override
    {
        const device_runtime::guard current(context_.comm.self.device);
        mailbox_->approach_wrap(calls);
    }

private:
    transport_context context_;
    std::unique_ptr<nccl_communicator> nccl_;
    std::unique_ptr<peer_mailbox> mailbox_;
};

} // namespace

std::shared_ptr<exchange_transport> make_peer_transport(const transport_context& context,
                                                        std::unique_ptr<nccl_communicator> nccl,
                                                        std::unique_ptr<peer_mailbox> mailbox)
{
    return std::make_shared<peer_transport>(context, std::move(nccl), std::move(mailbox));
}

} // namespace rankfold::detail
