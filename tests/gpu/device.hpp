// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the tests on a GPU share: memory, a place, loops over elements, a count of wrong elements. Sizes
// follow RANKFOLD_TEST_REDUCED.
#pragma once

#include "rankfold/device/operation.cuh"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace rankfold::test {

/// True where RANKFOLD_TEST_REDUCED is set: small pieces and few repeats, for the sanitizers, which are a
/// hundred times slower (sanitize.sh sets it).
inline bool reduced()
{
    return std::getenv("RANKFOLD_TEST_REDUCED") != nullptr;
}
inline int repeats(int full)
{
    return reduced() ? 3 : full;
}
/// From one start offset to the next.
inline int next_shift()
{
    return reduced() ? 5 : 1;
}

/// Device memory of exactly so many bytes.
class device_memory {
public:
    explicit device_memory(std::size_t bytes)
    {
        device::check_cuda(cudaMalloc(&memory_, bytes > 0 ? bytes : 1), "cudaMalloc");
    }
    ~device_memory() { cudaFree(memory_); }
    device_memory(const device_memory&) = delete;
    device_memory& operator=(const device_memory&) = delete;

    template <class T = std::byte>
    [[nodiscard]] T* as(std::int64_t offset_bytes = 0) const
    {
        return reinterpret_cast<T*>(static_cast<std::byte*>(memory_) + offset_bytes);
    }

private:
    void* memory_ = nullptr;
};

template <class F>
__global__ void for_each_kernel(std::int64_t count, F f)
{
    const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
    for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < count; i += step) {
        f(i);
    }
}

/// x[i] = f(i), with something in its padding.
template <class T, class F>
struct fill {
    static constexpr int padding = 0xA5;

    T* x;
    F f;
    __device__ void operator()(std::int64_t i) const
    {
        alignas(T) unsigned char bytes[sizeof(T)];
        memset(bytes, padding, sizeof(T));
        ::new (static_cast<void*>(bytes)) T(f(i));
        memcpy(static_cast<void*>(x + i), bytes, sizeof(T));
    }
};
/// Counts the elements that are not f(i).
template <class T, class F>
struct compare {
    const T* x;
    F f;
    unsigned long long* wrong;
    __device__ void operator()(std::int64_t i) const
    {
        if (!(x[i] == static_cast<T>(f(i)))) {
            atomicAdd(wrong, 1ULL);
        }
    }
};
template <class T>
struct element_of {
    const T* x;
    __device__ T operator()(std::int64_t i) const { return x[i]; }
};
template <class T>
struct constant {
    T value;
    __device__ T operator()(std::int64_t) const { return value; }
};

/// Tells what the code of a test was compiled for.
struct idle_kernel {
    static constexpr int threads = 32;
    static constexpr int resident = 1;
    struct arguments {};
    struct storage {};
    RANKFOLD_DEVICE static void run(simt::block& /*block*/, const arguments& /*args*/, storage& /*shared*/) {}
};

class gpu_test : public ::testing::Test {
protected:
    void SetUp() override
    {
        int devices = 0;
        if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
            GTEST_SKIP() << "no GPU in this machine";
        }
        capability = device::make_ready<idle_kernel>("idle_kernel").capability;
        cudaDeviceGetAttribute(&here.multiprocessors, cudaDevAttrMultiProcessorCount, 0);
        device::check_cuda(cudaStreamCreateWithFlags(&here.stream, cudaStreamNonBlocking), "stream");
        device::check_cuda(cudaMalloc(&wrong_, sizeof *wrong_), "cudaMalloc");
        device::check_cuda(cudaMemsetAsync(wrong_, 0, sizeof *wrong_, here.stream), "cudaMemset");
    }
    void TearDown() override
    {
        if (here.stream != nullptr) {
            EXPECT_EQ(cudaStreamSynchronize(here.stream), cudaSuccess);
            cudaFree(wrong_);
            cudaStreamDestroy(here.stream);
        }
    }

    template <class F>
    void for_each(std::int64_t count, F f)
    {
        if (count > 0) {
            for_each_kernel<<<4 * here.multiprocessors, 256, 0, here.stream>>>(count, f);
            device::check_cuda(cudaGetLastError(), "for_each_kernel");
        }
    }
    template <class T, class F>
    void set(T* x, std::int64_t count, F f)
    {
        for_each(count, fill<T, F>{x, f});
    }
    /// Counts the elements that are not f(i), in stream order.
    template <class T, class F>
    void count_wrong(const T* x, std::int64_t count, F f)
    {
        for_each(count, compare<T, F>{x, f, wrong_});
    }
    /// What count_wrong has counted since the last call. Waits.
    unsigned long long take_wrong()
    {
        unsigned long long result = 0;
        device::check_cuda(cudaMemcpyAsync(&result, wrong_, sizeof result, cudaMemcpyDefault, here.stream),
                           "copy");
        device::check_cuda(cudaMemsetAsync(wrong_, 0, sizeof result, here.stream), "cudaMemset");
        device::check_cuda(cudaStreamSynchronize(here.stream), "a kernel under test");
        return result;
    }
    /// How many elements are not f(i). Waits.
    template <class T, class F>
    unsigned long long wrong(const T* x, std::int64_t count, F f)
    {
        count_wrong(x, count, f);
        return take_wrong();
    }
    /// A partial that a kernel left on the device. Waits.
    template <class Accumulator>
    partial<Accumulator> fetch(const std::byte* record)
    {
        std::vector<std::byte> bytes(record_bytes(sizeof(Accumulator)));
        device::check_cuda(
            cudaMemcpyAsync(bytes.data(), record, bytes.size(), cudaMemcpyDefault, here.stream), "copy");
        device::check_cuda(cudaStreamSynchronize(here.stream), "a kernel under test");
        return read_record<Accumulator>(bytes.data());
    }
    void clear(const device_memory& memory, std::size_t bytes)
    {
        device::check_cuda(cudaMemsetAsync(memory.as<>(), 0, bytes, here.stream), "cudaMemset");
    }

    place here;
    int capability = 0; ///< that the code was compiled for

private:
    unsigned long long* wrong_ = nullptr;
};

} // namespace rankfold::test
