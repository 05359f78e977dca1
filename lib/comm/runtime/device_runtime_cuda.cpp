// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/device_runtime.hpp"

#include "runtime/cuda_check.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdio>

namespace rankfold::detail::device_runtime {
namespace {

using device::check_cuda;
using device::cuda_step;
using device::forget_error;
using device::status_of;

template <class Call>
void attempt(cuda_step step, const char* what, Call call)
{
    check_cuda(status_of(step, call), what);
}

std::string version(int code)
{
    return std::to_string(code / 1000) + "." + std::to_string(code % 1000 / 10);
}

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

/// Some virtual GPUs have none.
bool has_memory_pools()
{
    int device = 0;
    int supported = 0;
    RANKFOLD_CUDA(cudaGetDevice(&device));
    const cudaError_t asked = status_of(cuda_step::ask_for_pools, [&] {
        return cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device);
    });
    return asked == cudaSuccess && supported != 0;
}

} // namespace

int count(std::string& why_none)
{
    int devices = 0;
    const cudaError_t status = cudaGetDeviceCount(&devices);
    if (status == cudaErrorInsufficientDriver) {
        int driver = 0;
        int runtime = 0;
        cudaDriverGetVersion(&driver);
        cudaRuntimeGetVersion(&runtime);
        why_none = driver == 0 ? "no NVIDIA driver is loaded"
                               : "the driver supports CUDA " + version(driver) +
                                     ", older than the runtime's " + version(runtime);
    } else if (status != cudaSuccess) {
        why_none = cudaGetErrorString(status);
    } else if (devices == 0) {
        why_none = "CUDA sees no device";
    }
    forget_error(status);
    return status == cudaSuccess ? devices : 0;
}

int find(const std::string& device)
{
    std::string why_none;
    const int devices = count(why_none);
    int ordinal = -1;
    const auto [end, status] = std::from_chars(device.data(), device.data() + device.size(), ordinal);
    if (status == std::errc() && end == device.data() + device.size()) {
        if (ordinal >= 0 && ordinal < devices) {
            return ordinal;
        }
    } else {
        for (int d = 0; d < devices; ++d) {
            const properties p = query(d);
            if (lower(device) == p.bus_id || lower(device) == lower(p.uuid)) {
                return d;
            }
        }
    }
    std::string there;
    for (int d = 0; d < devices; ++d) {
        there += (there.empty() ? "" : ", ") + std::to_string(d) + " = " + query(d).bus_id;
    }
    throw error(errc::usage, error_origin::usage, 0, -1,
                "RANKFOLD_DEVICE is '" + device + "', must be one of: " + (there.empty() ? why_none : there));
}

properties query(int device)
{
    cudaDeviceProp p{};
    RANKFOLD_CUDA(cudaGetDeviceProperties(&p, device));
    std::array<char, 16> bus_id{};
    RANKFOLD_CUDA(cudaDeviceGetPCIBusId(bus_id.data(), bus_id.size(), device));
    std::string uuid = "GPU-";
    for (std::size_t i = 0; i < sizeof p.uuid.bytes; ++i) {
        std::array<char, 4> hex{};
        std::snprintf(hex.data(), hex.size(), "%02x", static_cast<unsigned char>(p.uuid.bytes[i]));
        uuid += hex.data();
        uuid += i == 3 || i == 5 || i == 7 || i == 9 ? "-" : "";
    }
    return {p.name, lower(bus_id.data()), uuid, p.multiProcessorCount};
}

int make_current(int device)
{
    int previous = -1;
    RANKFOLD_CUDA(cudaGetDevice(&previous));
    RANKFOLD_CUDA(cudaSetDevice(device));
    return previous;
}

void restore_current(int device) noexcept
{
    cudaSetDevice(device);
}

CUstream_st* make_stream()
{
    cudaStream_t stream = nullptr;
    RANKFOLD_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

void destroy_stream(CUstream_st* stream) noexcept
{
    cudaStreamDestroy(stream);
}

void* allocate(std::size_t bytes, CUstream_st* stream)
{
    const beside_captures aside;
    const std::size_t some = std::max<std::size_t>(bytes, 1);
    void* memory = nullptr;
    const bool pools = has_memory_pools();
    if (const cudaError_t status = status_of(
            cuda_step::allocate,
            [&] { return pools ? cudaMallocAsync(&memory, some, stream) : cudaMalloc(&memory, some); });
        status != cudaSuccess) {
        forget_error(status);
        std::size_t free_bytes = 0;
        std::size_t total_bytes = 0;
        cudaMemGetInfo(&free_bytes, &total_bytes);
        throw error(errc::out_of_memory, error_origin::cuda, status, -1,
                    "device memory: " + std::to_string(bytes) + " bytes asked for, " +
                        std::to_string(free_bytes) + " free: " + cudaGetErrorString(status));
    }
    if (const cudaError_t status = cudaMemsetAsync(memory, 0, some, stream); status != cudaSuccess) {
        release(memory, stream);
        check_cuda(status, "cudaMemsetAsync");
    }
    return memory;
}

void release(void* memory, CUstream_st* stream) noexcept
{
    const beside_captures aside;
    try {
        const cudaError_t status = has_memory_pools() ? cudaFreeAsync(memory, stream) : cudaFree(memory);
        forget_error(status);
    } catch (const error&) { // the context is gone, and the memory with it
    }
}

void* allocate_pinned(std::size_t bytes)
{
    void* memory = nullptr;
    attempt(cuda_step::allocate, "cudaHostAlloc", [&] {
        return cudaHostAlloc(&memory, std::max<std::size_t>(bytes, 1),
                             cudaHostAllocPortable | cudaHostAllocMapped);
    });
    std::fill_n(static_cast<char*>(memory), bytes, '\0');
    return memory;
}

void release_pinned(void* memory) noexcept
{
    cudaFreeHost(memory);
}

void copy(void* to, const void* from, std::size_t bytes, CUstream_st* stream)
{
    if (bytes > 0) {
        attempt(cuda_step::copy, "cudaMemcpyAsync",
                [&] { return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream); });
    }
}

void copy_rows(void* to, std::size_t to_stride, const void* from, std::size_t from_stride, std::size_t width,
               std::size_t rows, CUstream_st* stream)
{
    attempt(cuda_step::copy, "cudaMemcpy2DAsync", [&] {
        return cudaMemcpy2DAsync(to, to_stride, from, from_stride, width, rows, cudaMemcpyDefault, stream);
    });
}

bool wait_for_device()
{
    const cudaError_t status = cudaDeviceSynchronize();
    forget_error(status);
    return status == cudaSuccess || device::is_left_by_a_kernel(status);
}

void ignore_captures() noexcept
{
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaThreadExchangeStreamCaptureMode(&mode);
}

beside_captures::beside_captures() noexcept
{
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaThreadExchangeStreamCaptureMode(&mode);
    before_ = mode;
}

beside_captures::~beside_captures()
{
    auto mode = static_cast<cudaStreamCaptureMode>(before_);
    cudaThreadExchangeStreamCaptureMode(&mode);
}

bool finished(CUstream_st* stream)
{
    const cudaError_t status = cudaStreamQuery(stream);
    if (status == cudaErrorNotReady) {
        forget_error(status);
        return false;
    }
    check_cuda(status, "cudaStreamQuery");
    return true;
}

bool finishes_within(double seconds, CUstream_st* stream)
{
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!finished(stream)) {
        if (std::chrono::steady_clock::now() > deadline) {
            return false;
        }
    }
    return true;
}

bool capturing(CUstream_st* stream)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaError_t asked = cudaStreamIsCapturing(stream, &status);
    if (asked ==
        cudaErrorStreamCaptureImplicit) { // the legacy stream, while one that it waits for is captured
        forget_error(asked);
        return true;
    }
    check_cuda(asked, "cudaStreamIsCapturing");
    return status != cudaStreamCaptureStatusNone;
}

std::uint64_t id_of(CUstream_st* stream) noexcept
{
    unsigned long long id = 0;
    const cudaError_t status = cudaStreamGetId(stream, &id);
    forget_error(status);
    return status == cudaSuccess ? id : reinterpret_cast<std::uintptr_t>(stream);
}

whereabouts locate(const void* memory)
{
    cudaPointerAttributes attributes{};
    RANKFOLD_CUDA(cudaPointerGetAttributes(&attributes, memory));
    int current = 0;
    RANKFOLD_CUDA(cudaGetDevice(&current));
    int can_access = 1;
    switch (attributes.type) {
    case cudaMemoryTypeUnregistered: // reachable only where the system shares page tables with the device
        RANKFOLD_CUDA(cudaDeviceGetAttribute(&can_access, cudaDevAttrPageableMemoryAccess, current));
        return {can_access ? reach::device_can_access : reach::host_only, -1};
    case cudaMemoryTypeHost:
    case cudaMemoryTypeManaged:
        return {attributes.devicePointer ? reach::device_can_access : reach::host_only, -1};
    case cudaMemoryTypeDevice:
        break;
    }
    // Of another device's memory too there is a pointer where this one can access it: not where it only
    // could.
    return {attributes.devicePointer ? reach::device_can_access : reach::other_device, attributes.device};
}

int device_of(CUstream_st* stream)
{
    // A stream does not tell its device while it is captured, nor with older runtimes: a launch on a stream
    // of another device fails there with CUDA's own error.
    int device = -1;
#if CUDART_VERSION >= 12080
    if (!capturing(stream)) {
        RANKFOLD_CUDA(cudaStreamGetDevice(stream, &device));
        return device;
    }
#else
    static_cast<void>(stream);
#endif
    RANKFOLD_CUDA(cudaGetDevice(&device));
    return device;
}

} // namespace rankfold::detail::device_runtime
