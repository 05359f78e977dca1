// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory as lib/core and users ask for it.
#include "communicator_parts.hpp"

#include "rankfold/array.hpp"

namespace rankfold::detail {

void* communicator_state::allocate(std::size_t bytes)
{
    return parts_->memory.allocate(bytes);
}

void communicator_state::release(void* memory) noexcept
{
    if (on_gpu() && is_copy_of_child()) { // which has no share in the GPU
        return;
    }
    try {
        parts_->memory.release(memory);
    } catch (const std::exception& problem) {
        parts_->known.log->write(log_level::warn,
                                 std::string("device memory was not freed: ") + problem.what());
    }
}

void communicator_state::copy(void* to, const void* from, std::size_t bytes, CUstream_st* stream)
{
    parts_->memory.copy(to, from, bytes, stream);
}

void communicator_state::copy_now(void* to, const void* from, std::size_t bytes)
{
    parts_->memory.copy(to, from, bytes, own_stream());
    parts_->memory.wait();
}

CUstream_st* communicator_state::own_stream() const noexcept
{
    return parts_->memory.own_stream();
}

std::string communicator_state::why_unreachable(const void* memory) const
{
    return parts_->memory.why_unreachable(memory);
}

bool communicator_state::needs_staging(const void* memory) const
{
    return parts_->memory.needs_staging(memory);
}

std::string communicator_state::why_not_blocking(CUstream_st* stream) const
{
    return on_gpu() && parts_->memory.is_capturing(stream)
               ? "stream is being captured, but this call blocks and cannot be captured; make a plan before, "
                 "and "
                 "call that"
               : std::string();
}

std::string communicator_state::why_not_stream(std::optional<CUstream_st*> stream) const
{
    if (!on_gpu()) {
        return {};
    }
    if (!stream) {
        return "stream is not given; a call on device memory needs {.stream = ...}";
    }
    if (const std::optional<int> other = parts_->memory.other_device_of(*stream)) {
        return "stream belongs to device " + std::to_string(*other) + ", this rank's is device " +
               std::to_string(device);
    }
    if (parts_->transport->blocks() && parts_->memory.is_capturing(*stream)) {
        return "stream is being captured, but transport " + std::string(to_string(transport)) +
               " blocks and cannot be captured; use one GPU per rank";
    }
    return {};
}

backend_memory::backend_memory(std::shared_ptr<communicator_state> comm, std::size_t bytes)
    : comm_(std::move(comm)), data_(comm_->allocate(bytes)), bytes_(bytes)
{
}

backend_memory::~backend_memory()
{
    if (data_ != nullptr) {
        comm_->release(data_);
    }
}

void backend_memory::assign(const void* host, std::size_t bytes)
{
    comm_->copy_now(data_, host, bytes);
}

void backend_memory::read(void* host, std::size_t bytes) const
{
    comm_->copy_now(host, data_, bytes);
}

} // namespace rankfold::detail
