// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory_space.hpp"

#include "watch/run_with_deadline.hpp"

#include "rankfold/error.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace rankfold::detail {
namespace {

constexpr std::size_t host_alignment = 64; // a cache line
/// How long somebody who needs memory waits for that of calls that may still run.
constexpr double patience_s = 10;

void* allocate_on_host(std::size_t bytes, int rank)
{
    const std::size_t rounded = (bytes + host_alignment) / host_alignment * host_alignment;
    void* memory = std::aligned_alloc(host_alignment, rounded);
    if (memory == nullptr) {
        throw error(errc::out_of_memory, error_origin::system, ENOMEM, rank,
                    "host memory: " + std::to_string(bytes) + " bytes asked for and refused");
    }
    std::memset(memory, 0, rounded);
    return memory;
}

} // namespace

memory_space::memory_space(int device, int rank) : device_(device), rank_(rank)
{
    if (device_ < 0) {
        return;
    }
    const device_runtime::guard current(device_);
    gpu_ = device_runtime::query(device_);
    stream_ = owned_stream(device_runtime::make_stream());
    rescue_ = owned_stream(device_runtime::make_stream());
    failure_ = owned_device_memory<failure_word>(1, stream_.get());
    mirror_ = owned_pinned<failure_word>::make();
}

memory_space::~memory_space()
{
    try {
        std::optional<device_runtime::guard> current;
        if (device_ >= 0) {
            current.emplace(device_);
            deferred_.all_ended();
            free_deferred();
        }
        failure_ = {};
        mirror_ = {};
        stream_ = {};
        rescue_ = {};
    } catch (const error&) { // the device is lost, and its memory with it
        leak();
    }
}

void memory_space::leak() noexcept
{
    failure_.leak();
    mirror_.leak();
    stream_.leak();
    rescue_.leak();
    deferred_.all_ended();
    static_cast<void>(deferred_.take_free());
    static_cast<void>(company_.release());
}

void* memory_space::allocate(std::size_t bytes)
{
    if (device_ < 0) {
        return allocate_on_host(bytes, rank_);
    }
    const device_runtime::guard current(device_);
    const device_runtime::beside_captures aside;
    free_deferred();
    void* memory = nullptr;
    try {
        memory = device_runtime::allocate(bytes, own_stream());
    } catch (const error& refused) {
        if (!deferred_.keeps_any() || !device_ends(patience_s)) {
            throw;
        }
        memory = device_runtime::allocate(bytes, own_stream());
    }
    while (!device_runtime::finished(own_stream())) { // the caller's stream is another one
    }
    return memory;
}

void memory_space::release(void* memory)
{
    if (device_ < 0) {
        std::free(memory);
        return;
    }
    if (!deferred_.keep(memory)) {
        const device_runtime::guard current(device_);
        device_runtime::release(memory, own_stream());
    }
}

void memory_space::free_deferred() noexcept
{
    for (void* const memory : deferred_.take_free()) {
        device_runtime::release(memory, own_stream());
    }
}

void memory_space::note_queued(CUstream_st* stream, std::uint64_t number) noexcept
{
    bool captured = false;
    try {
        captured = device_runtime::capturing(stream);
    } catch (const error&) { // no stream that anything could be queued on
        return;
    }
    captured_ = captured_ || captured;
    if (!captured) {
        deferred_.queued(device_runtime::id_of(stream), number);
    }
}

void memory_space::note_ended(CUstream_st* stream) noexcept
{
    deferred_.ended(device_runtime::id_of(stream));
    free_deferred();
}

bool memory_space::device_ends(double seconds)
{
    const auto ended = std::make_shared<std::atomic<bool>>(false);
    const auto wait = [ended, device = device_] {
        const device_runtime::guard current(device);
        *ended = device_runtime::wait_for_device();
    };
    if (!returns_in_time(wait, seconds) || !*ended) {
        return false;
    }
    deferred_.all_ended();
    free_deferred();
    return true;
}

void memory_space::copy(void* to, const void* from, std::size_t bytes, CUstream_st* stream)
{
    if (device_ >= 0) {
        const device_runtime::guard current(device_);
        device_runtime::copy(to, from, bytes, stream);
    } else if (bytes > 0) {
        std::memcpy(to, from, bytes);
    }
}

void memory_space::wait() const
{
    if (device_ >= 0) {
        const device_runtime::guard current(device_);
        while (!device_runtime::finished(own_stream())) {
        }
    }
}

std::string memory_space::why_unreachable(const void* memory) const
{
    if (device_ < 0 || memory == nullptr) {
        return {};
    }
    const device_runtime::guard current(device_);
    const auto where = device_runtime::locate(memory);
    switch (where.how) {
    case device_runtime::reach::device_can_access:
        return {};
    case device_runtime::reach::host_only:
        return "is host memory that device " + std::to_string(device_) +
               " cannot access; use rankfold::array, device, "
               "managed or pinned memory, or a one-shot function";
    case device_runtime::reach::other_device:
        return "is memory of device " + std::to_string(where.device) + ", which device " +
               std::to_string(device_) +
               " of this rank cannot access (cudaDeviceEnablePeerAccess was not called there, or is not "
               "possible)";
    }
    return {};
}

bool memory_space::needs_staging(const void* memory) const
{
    if (device_ < 0 || memory == nullptr) {
        return false;
    }
    const device_runtime::guard current(device_);
    return device_runtime::locate(memory).how == device_runtime::reach::host_only;
}

std::optional<int> memory_space::other_device_of(CUstream_st* stream) const
{
    const device_runtime::guard current(device_);
    const int theirs = stream == nullptr ? device_ : device_runtime::device_of(stream);
    return theirs == device_ ? std::nullopt : std::optional(theirs);
}

bool memory_space::is_capturing(CUstream_st* stream) const
{
    const device_runtime::guard current(device_);
    return device_runtime::capturing(stream);
}

failure_report memory_space::report_of(std::uint64_t number) const noexcept
{
    return {.word = failure_.get(), .mirror = mirror_.get(), .call = static_cast<std::uint32_t>(number)};
}

failure_word memory_space::reported() const noexcept
{
    const failure_word* const mirror = mirror_.get();
    if (mirror == nullptr) {
        return {0, 0};
    }
    const std::uint32_t code = __atomic_load_n(&mirror->code, __ATOMIC_ACQUIRE);
    return {code, __atomic_load_n(&mirror->call, __ATOMIC_ACQUIRE)};
}

void memory_space::tell_kernels(const failure_word& failed)
{
    device_runtime::ignore_captures();
    const device_runtime::guard current(device_);
    device_runtime::copy(failure_.get(), &failed, sizeof failed, rescue_.get());
}

} // namespace rankfold::detail
