// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace rankfold::bench {
namespace {

/// Streams through 16-byte words; writes only if all bits of a thread's words cancel in a way that does not
/// happen.
template <int InFlight>
__global__ void read_kernel(const uint4* __restrict__ data, std::int64_t words, std::uint32_t* sink)
{
    const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
    std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
    std::uint32_t seen = 1;
    for (; i + (InFlight - 1) * step < words; i += InFlight * step) {
        uint4 x[InFlight];
#pragma unroll
        for (int k = 0; k < InFlight; ++k) {
            x[k] = __ldcs(data + i + k * step);
        }
#pragma unroll
        for (int k = 0; k < InFlight; ++k) {
            seen += (x[k].x ^ x[k].y) + (x[k].z ^ x[k].w);
        }
    }
    for (; i < words; i += step) {
        const uint4 x = __ldcs(data + i);
        seen += (x.x ^ x.y) + (x.z ^ x.w);
    }
    if (seen == 0x5bd1e995U) {
        *sink = seen;
    }
}

template <int InFlight>
action read_by(const gpu& device, const std::byte* data, std::size_t bytes, std::byte* sink, int blocks,
               int threads)
{
    const auto words = static_cast<std::int64_t>(bytes / 16);
    const std::int64_t useful = (words + threads - 1) / threads;
    const auto grid =
        static_cast<int>(std::clamp<std::int64_t>(useful, 1, std::int64_t{blocks} * device.multiprocessors));
    return [=, stream = device.stream] {
        read_kernel<InFlight><<<grid, threads, 0, stream>>>(reinterpret_cast<const uint4*>(data), words,
                                                            reinterpret_cast<std::uint32_t*>(sink));
    };
}

__global__ void compare_kernel(const std::byte* a, const std::byte* b, std::int64_t bytes,
                               unsigned long long* different)
{
    const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
    unsigned long long mine = 0;
    for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < bytes; i += step) {
        mine += a[i] != b[i] ? 1 : 0;
    }
    if (mine != 0) {
        atomicAdd(different, mine);
    }
}

constexpr int copy_threads = 512;
constexpr int copy_words = 4; // 16 bytes each, in flight at once in a thread

__global__ void copy_kernel(const uint4* __restrict__ from, uint4* __restrict__ to, std::int64_t words)
{
    const std::int64_t first = blockIdx.x * std::int64_t{copy_threads * copy_words} + threadIdx.x;
    uint4 x[copy_words];
#pragma unroll
    for (int k = 0; k < copy_words; ++k) {
        if (first + k * copy_threads < words) {
            x[k] = __ldcs(from + first + k * copy_threads);
        }
    }
#pragma unroll
    for (int k = 0; k < copy_words; ++k) {
        if (first + k * copy_threads < words) {
            __stcs(to + first + k * copy_threads, x[k]);
        }
    }
}

} // namespace

void check(cudaError_t status, const char* what)
{
    if (status != cudaSuccess) {
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
    }
}

device_memory::device_memory(std::size_t bytes)
{
    bytes = std::max(bytes, std::size_t{1}); // never null
    check(cudaMalloc(&data_, bytes), "device memory");
    check(cudaMemset(data_, 0, bytes), "device memory");
    check(cudaDeviceSynchronize(), "device memory"); // the other streams do not wait for it
}

device_memory::~device_memory()
{
    cudaFree(data_);
}

pinned_memory::pinned_memory(std::size_t bytes)
{
    check(cudaMallocHost(&data_, bytes), "pinned memory");
    std::memset(data_, 0, bytes);
}

pinned_memory::~pinned_memory()
{
    cudaFreeHost(data_);
}

gpu open_gpu(int ordinal)
{
    cudaDeviceProp properties{};
    check(cudaSetDevice(ordinal), "GPU");
    check(cudaGetDeviceProperties(&properties, ordinal), "GPU");
    gpu result{.name = properties.name, .multiprocessors = properties.multiProcessorCount};
    std::memcpy(result.uuid.data(), &properties.uuid, result.uuid.size());
    check(cudaStreamCreateWithFlags(&result.stream, cudaStreamNonBlocking), "stream");
    return result;
}

std::size_t free_bytes()
{
    std::size_t available = 0;
    std::size_t all = 0;
    check(cudaMemGetInfo(&available, &all), "memory");
    return available;
}

std::vector<action> read_kernels(const gpu& device, const std::byte* data, std::size_t bytes, std::byte* sink)
{
    return {read_by<4>(device, data, bytes, sink, 4, 512), read_by<8>(device, data, bytes, sink, 2, 512),
            read_by<8>(device, data, bytes, sink, 8, 256), read_by<16>(device, data, bytes, sink, 2, 256)};
}

std::vector<action> copies(const gpu& device, const std::byte* from, std::byte* to, std::size_t bytes,
                           bool in_graph)
{
    std::vector<action> result{[=, stream = device.stream] {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "copy");
    }};
    if (in_graph) {
        result.emplace_back([=, stream = device.stream] {
            constexpr int per_block = copy_threads * copy_words;
            const auto words = static_cast<std::int64_t>(bytes / sizeof(uint4));
            const auto blocks = static_cast<unsigned>(words / per_block + 1);
            copy_kernel<<<blocks, copy_threads, 0, stream>>>(reinterpret_cast<const uint4*>(from),
                                                             reinterpret_cast<uint4*>(to), words);
        });
    }
    return result;
}

std::int64_t different_bytes(const gpu& device, const std::byte* a, const std::byte* b, std::size_t bytes)
{
    const device_memory count(sizeof(unsigned long long));
    unsigned long long result = 0;
    compare_kernel<<<8 * device.multiprocessors, 256, 0, device.stream>>>(
        a, b, static_cast<std::int64_t>(bytes), reinterpret_cast<unsigned long long*>(count.data()));
    check(cudaMemcpyAsync(&result, count.data(), sizeof result, cudaMemcpyDefault, device.stream), "compare");
    check(cudaStreamSynchronize(device.stream), "compare");
    return static_cast<std::int64_t>(result);
}

} // namespace rankfold::bench
