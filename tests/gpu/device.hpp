// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the tests on a GPU share: memory, a place, loops over elements, a count of wrong elements.
#pragma once

#include "rankfold/device/operation.cuh"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace rankfold::test {

/// True under the sanitizers, which are a hundred times slower (sanitize.sh sets the variable).
inline bool reduced()
{
    return std::getenv("RANKFOLD_TEST_REDUCED") != nullptr;
}
inline int repeats(int full)
{
    return reduced() ? 3 : full;
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

/// x[i] = f(i).
template <class T, class F>
struct fill {
    T* x;
    F f;
    __device__ void operator()(std::int64_t i) const
    {
        const T value = f(i);
        memcpy(x + i, &value, sizeof(T));
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

class gpu_test : public ::testing::Test {
protected:
    void SetUp() override
    {
        int devices = 0;
        if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
            GTEST_SKIP() << "no GPU in this machine";
        }
        int major = 0;
        int minor = 0;
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
        here.capability = 10 * major + minor;
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

private:
    unsigned long long* wrong_ = nullptr;
};

/// The forms of a scan, by name, whatever the size would select.
enum class form {
    selected,
    registers,
    bulk,
    two_passes,
    onchip,
    onchip_in_two,
    wide_onchip,
    wide_onchip_in_two
};
inline constexpr form all_forms[]{
    form::registers,     form::bulk,        form::two_passes,        form::onchip,
    form::onchip_in_two, form::wide_onchip, form::wide_onchip_in_two};

/// What makes a scan conclude by itself on one rank, whose record is the task's.
template <Algebra A>
conclusion alone(const scan_task& task)
{
    return {.mail = {},
            .head = {},
            .received = task.record,
            .fold = {.records = task.record,
                     .stride = record_bytes(sizeof(typename A::accumulator)),
                     .record_count = 1,
                     .ranks = 1,
                     .init = task.init}};
}

/// A piece on chip, in one launch where it fits.
template <Algebra A, class Kernel>
void scan_on_chip(bool in_one, const operation& what, scan_task task, const place& here)
{
    using scans = typename device::phases<A>::rank_scans;
    const conclusion then = alone<A>(task);
    task.then = in_one ? &then : nullptr;
    scans::template begin_onchip_scan<Kernel>(what, task, here);
    scans::template finish_onchip_scan<Kernel>(what, task, here);
}

template <Algebra A>
void scan_by(form by, const operation& what, const scan_task& task, const place& here)
{
    using phases = device::phases<A>;
    using scans = typename phases::rank_scans;
    switch (by) {
    case form::selected:
        phases::scan(what, task, here);
        break;
    case form::registers:
        phases::launch_lookback_scan(what, task, here);
        break;
    case form::bulk:
        phases::launch_bulk_scan(what, task, here);
        break;
    case form::two_passes:
        scans::launch_tile_reduce(what, task, here);
        scans::launch_tile_scan(what, task, here);
        break;
    case form::onchip:
    case form::onchip_in_two:
        scan_on_chip<A, typename scans::onchip_kernel>(by == form::onchip, what, task, here);
        break;
    case form::wide_onchip:
    case form::wide_onchip_in_two:
        scan_on_chip<A, typename scans::wide_onchip_kernel>(by == form::wide_onchip, what, task, here);
        break;
    }
}

template <Algebra A>
constexpr std::int64_t tile_of(form by)
{
    using phases = device::phases<A>;
    using scans = typename phases::rank_scans;
    switch (by) {
    case form::bulk:
        return phases::bulk_kernel::tile_elements;
    case form::two_passes:
        return scans::two_pass_tuning.tile();
    case form::onchip:
    case form::onchip_in_two:
        return scans::onchip_kernel::tuning.tile();
    case form::wide_onchip:
    case form::wide_onchip_in_two:
        return scans::wide_onchip_kernel::tuning.tile();
    case form::selected:
    case form::registers:
        break;
    }
    return phases::scan_tuning_row.tile();
}

/// Most elements of a piece that takes this form.
template <Algebra A>
constexpr std::int64_t most_of(form by)
{
    switch (by) {
    case form::onchip:
    case form::onchip_in_two:
        return device::onchip_tiles * tile_of<A>(by);
    case form::wide_onchip:
    case form::wide_onchip_in_two:
        return device::wide_onchip_tiles * tile_of<A>(by);
    case form::selected:
    case form::registers:
    case form::bulk:
    case form::two_passes:
        break;
    }
    return std::numeric_limits<std::int64_t>::max();
}

} // namespace rankfold::test
