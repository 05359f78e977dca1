// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of the backend, and where a user's memory and streams are.
#include "parts.hpp"

#include "rankfold/array.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace rankfold::detail {
namespace {

constexpr std::size_t host_alignment = 64; // a cache line

} // namespace

void* communicator_state::allocate(std::size_t bytes)
{
    if (on_gpu()) {
        const device_runtime::guard current(device);
        void* memory = device_runtime::allocate(bytes, parts_->stream);
        while (!device_runtime::finished(parts_->stream)) { // the caller's stream is another one
        }
        return memory;
    }
    const std::size_t rounded = (bytes + host_alignment) / host_alignment * host_alignment;
    void* memory = std::aligned_alloc(host_alignment, rounded);
    if (memory == nullptr) {
        throw error(errc::out_of_memory, error_origin::system, ENOMEM, rank,
                    "host memory: " + std::to_string(bytes) + " bytes asked for and refused");
    }
    std::memset(memory, 0, rounded);
    return memory;
}

void communicator_state::release(void* memory) noexcept
{
    if (!on_gpu()) {
        std::free(memory);
        return;
    }
    try {
        const device_runtime::guard current(device);
        device_runtime::release(memory, parts_->stream);
    } catch (const error& problem) {
        parts_->log.write(log_level::warn, std::string("device memory was not freed: ") + problem.what());
    }
}

void communicator_state::copy(void* to, const void* from, std::size_t bytes, CUstream_st* stream)
{
    if (on_gpu()) {
        const device_runtime::guard current(device);
        device_runtime::copy(to, from, bytes, stream);
    } else if (bytes > 0) {
        std::memcpy(to, from, bytes);
    }
}

CUstream_st* communicator_state::own_stream() const noexcept
{
    return parts_->stream;
}

std::string communicator_state::why_unreachable(const void* memory) const
{
    if (!on_gpu() || memory == nullptr) {
        return {};
    }
    const device_runtime::guard current(device);
    const auto where = device_runtime::locate(memory);
    switch (where.how) {
    case device_runtime::reach::device_can_access:
        return {};
    case device_runtime::reach::host_only:
        return "is host memory that device " + std::to_string(device) +
               " cannot access; use rankfold::array, device, "
               "managed or pinned memory, or a one-shot function";
    case device_runtime::reach::other_device:
        return "is memory of device " + std::to_string(where.device) + ", which device " +
               std::to_string(device) + " of this rank cannot access";
    }
    return {};
}

bool communicator_state::needs_staging(const void* memory) const
{
    if (!on_gpu() || memory == nullptr) {
        return false;
    }
    const device_runtime::guard current(device);
    return device_runtime::locate(memory).how == device_runtime::reach::host_only;
}

std::string communicator_state::why_not_stream(std::optional<CUstream_st*> stream) const
{
    if (!on_gpu()) {
        return {};
    }
    if (!stream) {
        return "stream is not given; a call on device memory needs {.stream = ...}";
    }
    const device_runtime::guard current(device);
    const int stream_device = *stream == nullptr ? device : device_runtime::device_of(*stream);
    if (stream_device != device) {
        return "stream belongs to device " + std::to_string(stream_device) + ", this rank's is device " +
               std::to_string(device);
    }
    const bool blocks = transport == rankfold::transport::mpi;
    if (blocks && device_runtime::capturing(*stream)) {
        return "stream is being captured, but transport mpi blocks and cannot be captured; use one GPU per "
               "rank";
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
    comm_->copy(data_, host, bytes, comm_->own_stream());
    comm_->wait(comm_->own_stream());
}

void backend_memory::read(void* host, std::size_t bytes) const
{
    comm_->copy(host, data_, bytes, comm_->own_stream());
    comm_->wait(comm_->own_stream());
}

} // namespace rankfold::detail
