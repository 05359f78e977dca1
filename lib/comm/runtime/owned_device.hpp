// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What belongs to one owner on a GPU or for it: streams, device memory, pinned memory.
#pragma once

#include "runtime/device_runtime.hpp"

#include <utility>

namespace rankfold::detail {

class owned_stream {
public:
    owned_stream() = default;
    explicit owned_stream(CUstream_st* stream) noexcept : stream_(stream) {}
    owned_stream(owned_stream&& other) noexcept : stream_(other.leak()) {}
    owned_stream& operator=(owned_stream&& other) noexcept
    {
        std::swap(stream_, other.stream_);
        return *this;
    }
    ~owned_stream()
    {
        if (stream_ != nullptr) {
            device_runtime::destroy_stream(stream_);
        }
    }
    [[nodiscard]] CUstream_st* get() const noexcept { return stream_; }
    CUstream_st* leak() noexcept { return std::exchange(stream_, nullptr); }

private:
    CUstream_st* stream_ = nullptr;
};

/// `count` objects in device memory, zero at first; freed in order of a stream that outlives them.
template <class T>
class owned_device_memory {
public:
    owned_device_memory() = default;
    owned_device_memory(std::size_t count, CUstream_st* stream)
        : memory_(static_cast<T*>(device_runtime::allocate(count * sizeof(T), stream))), stream_(stream)
    {
    }
    owned_device_memory(owned_device_memory&& other) noexcept : memory_(other.leak()), stream_(other.stream_)
    {
    }
    owned_device_memory& operator=(owned_device_memory&& other) noexcept
    {
        std::swap(memory_, other.memory_);
        std::swap(stream_, other.stream_);
        return *this;
    }
    ~owned_device_memory()
    {
        if (memory_ != nullptr) {
            device_runtime::release(memory_, stream_);
        }
    }
    [[nodiscard]] T* get() const noexcept { return memory_; }
    T* leak() noexcept { return std::exchange(memory_, nullptr); }

private:
    T* memory_ = nullptr;
    CUstream_st* stream_ = nullptr;
};

/// One object in pinned host memory that the device can access, zero at first.
template <class T>
class owned_pinned {
public:
    owned_pinned() = default;
    static owned_pinned make()
    {
        owned_pinned made;
        made.memory_ = static_cast<T*>(device_runtime::allocate_pinned(sizeof(T)));
        return made;
    }
    owned_pinned(owned_pinned&& other) noexcept : memory_(other.leak()) {}
    owned_pinned& operator=(owned_pinned&& other) noexcept
    {
        std::swap(memory_, other.memory_);
        return *this;
    }
    ~owned_pinned()
    {
        if (memory_ != nullptr) {
            device_runtime::release_pinned(memory_);
        }
    }
    [[nodiscard]] T* get() const noexcept { return memory_; }
    T* leak() noexcept { return std::exchange(memory_, nullptr); }

private:
    T* memory_ = nullptr;
};

} // namespace rankfold::detail
