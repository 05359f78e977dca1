// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu.hpp"

#include <algorithm>
#include <memory>
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

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// `calls` calls of an action, as one thing to launch.
class batch {
public:
    batch(const gpu& device, const action& run, const timing& how) : run_(run), calls_(how.calls)
    {
        run_(); // loads the kernel
        check(cudaStreamSynchronize(device.stream), "warm-up");
        if (how.graph) {
            stream_ = device.stream;
            cudaGraph_t graph = nullptr;
            check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capture");
            call();
            check(cudaStreamEndCapture(stream_, &graph), "capture");
            check(cudaGraphInstantiate(&replay_, graph, 0), "graph");
            cudaGraphDestroy(graph);
        }
    }
    ~batch()
    {
        if (replay_ != nullptr) {
            cudaGraphExecDestroy(replay_);
        }
    }
    batch(const batch&) = delete;
    batch& operator=(const batch&) = delete;

    void operator()() const
    {
        if (replay_ != nullptr) {
            check(cudaGraphLaunch(replay_, stream_), "graph");
        } else {
            call();
        }
    }

private:
    void call() const
    {
        for (int i = 0; i < calls_; ++i) {
            run_();
        }
    }

    const action& run_;
    int calls_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t replay_ = nullptr;
};

} // namespace

void check(cudaError_t status, const char* what)
{
    if (status != cudaSuccess) {
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
    }
}

device_memory::device_memory(std::size_t bytes) : size_(bytes)
{
    check(cudaMalloc(&data_, bytes), "device memory");
    check(cudaMemset(data_, 0, bytes), "device memory");
    check(cudaDeviceSynchronize(), "device memory"); // the other streams do not wait for it
}

device_memory::~device_memory()
{
    cudaFree(data_);
}

gpu open_gpu()
{
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, 0), "GPU 0");
    gpu result{.name = properties.name,
               .multiprocessors = properties.multiProcessorCount,
               .capability = 10 * properties.major + properties.minor};
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

std::vector<double> medians_us(const gpu& device, const std::vector<action>& actions, const timing& how)
{
    cudaEvent_t begin = nullptr;
    cudaEvent_t end = nullptr;
    check(cudaEventCreate(&begin), "event");
    check(cudaEventCreate(&end), "event");
    std::vector<std::unique_ptr<batch>> batches;
    for (const action& run : actions) {
        batches.push_back(std::make_unique<batch>(device, run, how));
    }
    constexpr int warm_ups = 3;
    std::vector<std::vector<double>> times(actions.size());
    for (int repeat = -warm_ups; repeat < how.repeats; ++repeat) {
        for (std::size_t a = 0; a < actions.size(); ++a) {
            check(cudaEventRecord(begin, device.stream), "event");
            (*batches[a])();
            check(cudaEventRecord(end, device.stream), "event");
            check(cudaEventSynchronize(end), "run");
            float milliseconds = 0;
            check(cudaEventElapsedTime(&milliseconds, begin, end), "event");
            if (repeat >= 0) {
                times[a].push_back(1e3 * milliseconds / how.calls);
            }
        }
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    std::vector<double> result;
    for (const auto& of_action : times) {
        result.push_back(median(of_action));
    }
    return result;
}

std::vector<action> read_kernels(const gpu& device, const std::byte* data, std::size_t bytes, std::byte* sink)
{
    return {read_by<4>(device, data, bytes, sink, 4, 512), read_by<8>(device, data, bytes, sink, 2, 512),
            read_by<8>(device, data, bytes, sink, 8, 256), read_by<16>(device, data, bytes, sink, 2, 256)};
}

action copy(const gpu& device, const std::byte* from, std::byte* to, std::size_t bytes)
{
    return [=, stream = device.stream] {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "copy");
    };
}

std::uint64_t different_bytes(const gpu& device, const std::byte* a, const std::byte* b, std::size_t bytes)
{
    const device_memory count(sizeof(unsigned long long));
    unsigned long long result = 0;
    compare_kernel<<<8 * device.multiprocessors, 256, 0, device.stream>>>(
        a, b, static_cast<std::int64_t>(bytes), reinterpret_cast<unsigned long long*>(count.data()));
    check(cudaMemcpyAsync(&result, count.data(), sizeof result, cudaMemcpyDefault, device.stream), "compare");
    check(cudaStreamSynchronize(device.stream), "compare");
    return result;
}

} // namespace rankfold::bench
