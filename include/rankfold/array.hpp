// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of a communicator's backend, for those who have none of their own: plans take any.
#pragma once

#include "rankfold/communicator.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace rankfold {

namespace detail {
/// Memory of a communicator's backend, zeroed; freed with its owner.
class backend_memory {
public:
    backend_memory() = default;
    /// Not collective. @throws error (out_of_memory) naming the bytes asked for and the bytes free
    backend_memory(std::shared_ptr<communicator_state> comm, std::size_t bytes);
    backend_memory(backend_memory&& other) noexcept
        : comm_(std::move(other.comm_)), data_(std::exchange(other.data_, nullptr)),
          bytes_(std::exchange(other.bytes_, 0))
    {
    }
    backend_memory& operator=(backend_memory&& other) noexcept
    {
        std::swap(comm_, other.comm_);
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~backend_memory();

    [[nodiscard]] void* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    /// Blocking copies from and to host memory.
    void assign(const void* host, std::size_t bytes);
    void read(void* host, std::size_t bytes) const;

private:
    std::shared_ptr<communicator_state> comm_;
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};
} // namespace detail

/// `count` zeroed elements in memory of the communicator's backend: device memory on cuda, host memory on
/// host. Move-only; what an array was made from by a move is empty. Keeps what it needs of the communicator
/// alive. May be destroyed while calls of the communicator that work on it are queued; not while kernels of
/// the program's own do, or graphs that use it are still to be replayed.
template <class T>
class array {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    /// Not collective; allocates. @throws error (usage) if count < 0 or more than there are addresses;
    /// (out_of_memory) naming the bytes asked for and the bytes free
    array(const communicator& comm, std::int64_t count) : memory_(comm.state(), checked(count) * sizeof(T)) {}
    /// With a copy of `host`. Blocks.
    array(const communicator& comm, std::span<const T> host)
        : array(comm, static_cast<std::int64_t>(host.size()))
    {
        assign(host);
    }

    /// Of the backend: on cuda not for the host to read or write.
    [[nodiscard]] T* data() noexcept { return static_cast<T*>(memory_.data()); }
    [[nodiscard]] const T* data() const noexcept { return static_cast<const T*>(memory_.data()); }
    /// Elements.
    [[nodiscard]] std::int64_t size() const noexcept
    {
        return static_cast<std::int64_t>(memory_.bytes() / sizeof(T));
    }
    [[nodiscard]] std::span<T> span() noexcept { return {data(), static_cast<std::size_t>(size())}; }
    [[nodiscard]] std::span<const T> span() const noexcept
    {
        return {data(), static_cast<std::size_t>(size())};
    }

    /// Copies from host memory; blocks. @throws error (usage) if the sizes differ
    void assign(std::span<const T> host)
    {
        require_size(host.size());
        memory_.assign(host.data(), host.size_bytes());
    }
    /// Copies to host memory; blocks. @throws error (usage) if the sizes differ
    void read(std::span<T> host) const
    {
        require_size(host.size());
        memory_.read(host.data(), host.size_bytes());
    }

private:
    static std::size_t checked(std::int64_t count)
    {
        if (count < 0) {
            throw error(errc::usage, error_origin::usage, 0, -1,
                        "array: count is " + std::to_string(count) + ", must be >= 0");
        }
        if (count > std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(sizeof(T))) {
            throw error(errc::usage, error_origin::usage, 0, -1,
                        "array: count is " + std::to_string(count) +
                            ", more bytes than memory has addresses");
        }
        return static_cast<std::size_t>(count);
    }
    void require_size(std::size_t host) const
    {
        if (host != static_cast<std::size_t>(size())) {
            throw error(errc::usage, error_origin::usage, 0, -1,
                        "array: host span has " + std::to_string(host) + " elements, the array " +
                            std::to_string(size()));
        }
    }

    detail::backend_memory memory_;
};

} // namespace rankfold
