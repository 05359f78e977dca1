// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How kernels are launched, and what happens when that fails.
#pragma once

#include "rankfold/device/cuda_error.hpp"
#include "rankfold/device/entry.cuh"
#include "rankfold/device/stream_share.hpp"
#include "rankfold/device/tuning.hpp"
#include "rankfold/error.hpp"
#include "rankfold/operation.hpp"

#include <cuda_runtime.h>

#include <array>
#include <atomic>
#include <string>

namespace rankfold::device {

/// Devices of a process of which kernels are known; of others everything is asked again.
inline constexpr std::size_t most_devices = 64;

constexpr std::int64_t divide_up(std::int64_t count, std::int64_t by)
{
    return (count + by - 1) / by;
}

/// Blocks of a grid that takes `items` of work, one or more each: never more than fit the device at once.
template <class Kernel>
int resident_blocks(std::int64_t items, const place& where)
{
    std::int64_t blocks = std::int64_t{Kernel::resident} * where.multiprocessors;
    if (where.max_resident_blocks > 0 && where.max_resident_blocks < blocks) {
        blocks = where.max_resident_blocks;
    }
    blocks = blocks < items ? blocks : items;
    return static_cast<int>(blocks < 1 ? 1 : blocks);
}

/// What the current device has of a kernel.
struct kernel_code {
    int capability; ///< the compute capability that it was compiled for: less than the device's where a
                    ///< program brings none for it
    bool runs;      ///< it was compiled for what the kernel needs, and the device has the shared memory
};

/// What is known of a kernel, by device.
template <class Kernel>
inline std::array<std::atomic<int>, most_devices> known_code{}; // 0: nothing; else 2 * capability + runs

/// Makes a kernel ready on the current device: loads it, so that no launch has to, and asks for more shared
/// memory than a kernel gets unasked. @throws error with origin cuda, naming the kernel
template <class Kernel>
kernel_code make_ready(const char* name)
{
    constexpr std::size_t bytes = sizeof(typename Kernel::storage);
    constexpr std::size_t unasked_bytes = 48 * 1024;
    int device = 0;
    int most_bytes = 0;
    cudaFuncAttributes found{};
    check_cuda(cudaGetDevice(&device), name);
    static_cast<void>(may_ask_captured_streams());
    check_cuda(cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), name);
    check_cuda(cudaFuncGetAttributes(&found, simt::entry<Kernel>), name);
    const kernel_code code{.capability = found.ptxVersion,
                           .runs = can_run(found.ptxVersion, simt::least_capability<Kernel>(), bytes,
                                           static_cast<std::size_t>(most_bytes))};
    if (code.runs && bytes > unasked_bytes) {
        check_cuda(cudaFuncSetAttribute(simt::entry<Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(bytes)),
                   name);
    }
    if (static_cast<std::size_t>(device) < most_devices) {
        known_code<Kernel>[static_cast<std::size_t>(device)].store(2 * code.capability + (code.runs ? 1 : 0),
                                                                   std::memory_order_release);
    }
    return code;
}

/// The same of a kernel that may have been made ready.
template <class Kernel>
kernel_code code_of(const char* name)
{
    int device = 0;
    check_cuda(cudaGetDevice(&device), name);
    const int known =
        static_cast<std::size_t>(device) < most_devices
            ? known_code<Kernel>[static_cast<std::size_t>(device)].load(std::memory_order_acquire)
            : 0;
    return known == 0 ? make_ready<Kernel>(name)
                      : kernel_code{.capability = known / 2, .runs = known % 2 == 1};
}

/// Where the code waits for what is before it on the stream (simt::entry), the launch need not: it overlaps
/// with the end of the kernel before, unless the place forbids it.
/// @throws error with origin cuda, naming the kernel, where there is no code for it
template <class Kernel>
cudaError_t try_launch(const char* name, int blocks, const typename Kernel::arguments& arguments,
                       const place& where, cuda_step how)
{
    const kernel_code code = code_of<Kernel>(name);
    if (!code.runs) {
        throw error(errc::backend, error_origin::cuda, static_cast<int>(cudaErrorNoKernelImageForDevice), -1,
                    std::string(name) + ": the program's code is for compute capability " +
                        std::to_string(code.capability) + ", and needs " +
                        std::to_string(simt::least_capability<Kernel>()) +
                        " or more (CMAKE_CUDA_ARCHITECTURES), and a device with the shared memory for it");
    }
    std::array<cudaLaunchAttribute, 2> attributes{};
    unsigned count = 0;
    if (how == cuda_step::cooperative_launch) {
        attributes[count].id = cudaLaunchAttributeCooperative;
        attributes[count++].val.cooperative = 1;
    }
    if (where.overlap && code.capability >= simt::overlap_capability) {
        attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[count++].val.programmaticStreamSerializationAllowed = 1;
    }
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(Kernel::threads);
    config.dynamicSmemBytes = sizeof(typename Kernel::storage);
    config.stream = where.stream;
    config.attrs = attributes.data();
    config.numAttrs = count;
    return status_of(how, [&] { return cudaLaunchKernelEx(&config, simt::entry<Kernel>, arguments); });
}

/// @throws error with origin cuda, naming the kernel, where CUDA refuses the launch: nothing was queued
template <class Kernel>
void launch(const char* name, int blocks, const typename Kernel::arguments& arguments, const place& where)
{
    check_cuda(try_launch<Kernel>(name, blocks, arguments, where, cuda_step::launch), name);
}

/// False where the blocks of a launch on a captured stream would not be resident all at once.
template <class Kernel>
bool fits_when_replayed(int blocks, const place& where)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaError_t asked = cudaStreamIsCapturing(where.stream, &status);
    forget_error(asked);
    return asked != cudaSuccess || status != cudaStreamCaptureStatusActive ||
           blocks <= Kernel::resident * multiprocessors_of_captured(where.stream, where.multiprocessors);
}

/// A launch whose blocks may wait for each other. False where CUDA refuses it, above all since they do not
/// fit the stream at once: it may have fewer multiprocessors than the device has (a green context, a share of
/// MPS, a debugger). Nothing was queued then: another form has to be launched, and tells what else is wrong.
template <class Kernel>
[[nodiscard]] bool launch_together(const char* name, int blocks, const typename Kernel::arguments& arguments,
                                   const place& where)
{
    if (!fits_when_replayed<Kernel>(blocks, where)) {
        return false;
    }
    const cudaError_t status =
        try_launch<Kernel>(name, blocks, arguments, where, cuda_step::cooperative_launch);
    forget_error(status);
    return status == cudaSuccess;
}

} // namespace rankfold::device
