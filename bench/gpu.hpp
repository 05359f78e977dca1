// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What every section of rankfold-bench needs of a GPU: memory, what sets the peak, a comparison of results.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rankfold::bench {

/// @throws std::runtime_error if `status` is not a success
void check(cudaError_t status, const char* what);

/// Device memory, zeroed.
class device_memory {
public:
    explicit device_memory(std::size_t bytes);
    ~device_memory();
    device_memory(const device_memory&) = delete;
    device_memory& operator=(const device_memory&) = delete;
    [[nodiscard]] std::byte* data() const { return data_; }
    template <class T>
    [[nodiscard]] T* as() const
    {
        return reinterpret_cast<T*>(data_);
    }

private:
    std::byte* data_ = nullptr;
};

/// Page-locked host memory, zeroed.
class pinned_memory {
public:
    explicit pinned_memory(std::size_t bytes);
    ~pinned_memory();
    pinned_memory(const pinned_memory&) = delete;
    pinned_memory& operator=(const pinned_memory&) = delete;
    template <class T>
    [[nodiscard]] T* as() const
    {
        return static_cast<T*>(data_);
    }

private:
    void* data_ = nullptr;
};

/// The GPU of this process and the stream of all runs.
struct gpu {
    std::string name;
    int multiprocessors = 0;
    std::array<std::byte, 16> uuid{};
    cudaStream_t stream = nullptr;
};
/// Makes the GPU current.
[[nodiscard]] gpu open_gpu(int ordinal);
[[nodiscard]] std::size_t free_bytes();

/// Something enqueued on the stream of the GPU.
using action = std::function<void()>;

/// The fixed set of read-only kernels whose best is the read peak; none of them is the library's.
[[nodiscard]] std::vector<action> read_kernels(const gpu& device, const std::byte* data, std::size_t bytes,
                                               std::byte* sink);
/// Device-to-device copies whose best is the copy peak: the runtime's own, which on a stream is the best; as
/// a node of a graph it is slow, so that a kernel stands beside it there.
[[nodiscard]] std::vector<action> copies(const gpu& device, const std::byte* from, std::byte* to,
                                         std::size_t bytes, bool in_graph);

/// Bytes that differ. Waits.
[[nodiscard]] std::int64_t different_bytes(const gpu& device, const std::byte* a, const std::byte* b,
                                           std::size_t bytes);

} // namespace rankfold::bench
