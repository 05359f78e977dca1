// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What every section of rankfold-bench needs of a GPU: memory, medians of interleaved runs, the peak of the
// same run, a comparison of results.
#pragma once

#include <cuda_runtime.h>

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
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    std::byte* data_ = nullptr;
    std::size_t size_;
};

/// The GPU of this process and the stream of all runs.
struct gpu {
    std::string name;
    int multiprocessors = 0;
    int capability = 0;
    cudaStream_t stream = nullptr;
};
[[nodiscard]] gpu open_gpu();
[[nodiscard]] std::size_t free_bytes();

/// Something enqueued on the stream of the GPU.
using action = std::function<void()>;

/// How a time is taken: so many calls back to back between two events, all actions in turn, so many times.
struct timing {
    int calls;
    int repeats;
    bool graph; ///< the calls replayed from a graph
};

/// Medians of microseconds per call, in the order of the actions. Waits.
[[nodiscard]] std::vector<double> medians_us(const gpu& device, const std::vector<action>& actions,
                                             const timing& how);

/// The fixed set of read-only kernels whose best is the read peak; none of them is the library's.
[[nodiscard]] std::vector<action> read_kernels(const gpu& device, const std::byte* data, std::size_t bytes,
                                               std::byte* sink);
/// A device-to-device copy.
[[nodiscard]] action copy(const gpu& device, const std::byte* from, std::byte* to, std::size_t bytes);

/// Bytes that differ. Waits.
[[nodiscard]] std::uint64_t different_bytes(const gpu& device, const std::byte* a, const std::byte* b,
                                            std::size_t bytes);

} // namespace rankfold::bench
