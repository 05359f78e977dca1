// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Over MPI, on host memory: of the backend itself, or copied from and to the GPU. Blocks.
#include "memory_space.hpp"
#include "transport/host_exchange.hpp"
#include "watch/failure.hpp"

namespace rankfold::detail {
namespace {

class mpi_transport final : public exchange_transport {
public:
    explicit mpi_transport(const transport_context& context) : context_(context) {}

    bool blocks() const noexcept override { return true; }

    layout layout_of(std::size_t row_bytes) const override
    {
        return {.overflows = row_bytes > slot_payload_bytes, .needs_host = context_.comm.self.on_gpu()};
    }

    void exchange(const call_description& call, exchange_buffers& buffers, CUstream_st* stream) override
    {
        const armed_watchdog armed(context_.failure.dog(), call);
        if (context_.comm.self.on_gpu()) {
            exchange_through_host(call, buffers, stream);
        } else {
            exchange_in_place(call, buffers);
        }
    }

    void refuse(const call_description& call, std::size_t /*row_bytes*/, CUstream_st* /*stream*/) override
    {
        const armed_watchdog armed(context_.failure.dog(), call);
        std::vector<slot> slots(static_cast<std::size_t>(context_.comm.self.size));
        gather_slots(context_, call, slots);
    }

    void meet(const call_description& /*call*/) override {}

private:
    void exchange_in_place(const call_description& call, exchange_buffers& buffers)
    {
        gather_slots(context_, call, {buffers.slot_of(0), static_cast<std::size_t>(context_.comm.self.size)});
        if (buffers.overflow.data() != nullptr) {
            gather_rows(context_, call, buffers.records_of(0), buffers.row_bytes);
        }
    }

    void exchange_through_host(const call_description& call, exchange_buffers& buffers, CUstream_st* stream)
    {
        memory_space& memory = context_.comm.memory;
        const int rank = context_.comm.self.rank;
        slot* const slots = buffers.host_slots.data();
        std::byte* const rows = buffers.host_overflow.data();
        const bool overflows = buffers.overflow.data() != nullptr;
        context_.failure.poll(call, stream); // a copy to pageable memory waits where no watchdog sees it
        memory.copy(slots + rank, buffers.slot_of(rank), sizeof(slot), stream);
        if (overflows) {
            memory.copy(rows + static_cast<std::size_t>(rank) * buffers.row_bytes, buffers.records_of(rank),
                        buffers.row_bytes, stream);
        }
        gather_slots(context_, call, buffers.host_slots);
        memory.copy(buffers.slot_of(0), slots, buffers.host_slots.size() * sizeof(slot), stream);
        if (overflows) {
            gather_rows(context_, call, rows, buffers.row_bytes);
            memory.copy(buffers.records_of(0), rows, buffers.host_overflow.size(), stream);
        }
    }

    transport_context context_;
};

} // namespace

std::shared_ptr<exchange_transport> make_mpi_transport(const transport_context& context)
{
    return std::make_shared<mpi_transport>(context);
}

} // namespace rankfold::detail
