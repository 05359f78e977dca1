// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One rank: nothing travels.
#include "transport/transport.hpp"
#include "watch/failure.hpp"

namespace rankfold::detail {
namespace {

class self_transport final : public exchange_transport {
public:
    explicit self_transport(const transport_context& context) : context_(context) {}

    bool blocks() const noexcept override { return false; }

    std::optional<conclusion> in_kernel(const fingerprint& head, const exchange_buffers& buffers,
                                        const fold_task& fold) const override
    {
        if (!context_.comm.self.on_gpu()) {
            return {};
        }
        return conclusion{.mail = {}, .head = head, .received = buffers.records_of(0), .fold = fold};
    }

    void exchange(const call_description& /*call*/, exchange_buffers& /*buffers*/,
                  CUstream_st* /*stream*/) override
    {
    }

    void refuse(const call_description& call, std::size_t /*row_bytes*/, CUstream_st* /*stream*/) override
    {
        context_.failure.raise_together(call, true);
    }

    void meet(const call_description& /*call*/) override {}

private:
    transport_context context_;
};

} // namespace

std::shared_ptr<exchange_transport> make_self_transport(const transport_context& context)
{
    return std::make_shared<self_transport>(context);
}

} // namespace rankfold::detail
