// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How kernels are launched, and what happens when that fails.
#pragma once

#include "rankfold/device/entry.cuh"
#include "rankfold/error.hpp"
#include "rankfold/operation.hpp"

#include <cuda_runtime.h>

#include <array>
#include <atomic>
#include <string>

namespace rankfold::device {

/// Most devices that a process can have.
inline constexpr std::size_t most_devices = 256;

/// @throws error with origin cuda if `status` is not a success
inline void check_cuda(cudaError_t status, const char* what)
{
    if (status != cudaSuccess) {
        throw error(errc::backend, error_origin::cuda, static_cast<int>(status), -1,
                    std::string(what) + ": " + cudaGetErrorString(status));
    }
}

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

/// Whether the blocks of a launch may wait for each other.
enum class residency { any, cooperative };

/// Makes a kernel ready on the current device, once: loads it, so that no launch has to, and asks for more
/// shared memory than a kernel gets unasked. Returns the compute capability that its code was compiled for:
/// less than the device's where a program brings none for it. @throws error with origin cuda, naming the
/// kernel
template <class Kernel>
int make_ready(const char* name)
{
    static std::array<std::atomic<int>, most_devices> capabilities{}; // 0: not ready
    int device = 0;
    check_cuda(cudaGetDevice(&device), name);
    std::atomic<int>& known = capabilities.at(static_cast<std::size_t>(device));
    if (const int capability = known.load(std::memory_order_acquire); capability != 0) {
        return capability;
    }
    cudaFuncAttributes found{};
    check_cuda(cudaFuncGetAttributes(&found, simt::entry<Kernel>), name);
    constexpr std::size_t unasked_bytes = 48 * 1024;
    if constexpr (sizeof(typename Kernel::storage) > unasked_bytes) {
        check_cuda(cudaFuncSetAttribute(simt::entry<Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(sizeof(typename Kernel::storage))),
                   name);
    }
    known.store(found.ptxVersion, std::memory_order_release);
    return found.ptxVersion;
}

/// Where the code waits for what is before it on the stream (simt::entry), the launch need not: it overlaps
/// with the end of the kernel before.
/// @throws error with origin cuda, naming the kernel
template <class Kernel>
void launch(const char* name, int blocks, const typename Kernel::arguments& arguments, const place& where,
            residency needed = residency::any)
{
    const int capability = make_ready<Kernel>(name);
    std::array<cudaLaunchAttribute, 2> attributes{};
    unsigned count = 0;
    if (needed == residency::cooperative) {
        attributes[count].id = cudaLaunchAttributeCooperative;
        attributes[count++].val.cooperative = 1;
    }
    if (capability >= simt::overlap_capability) {
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
    check_cuda(cudaLaunchKernelEx(&config, simt::entry<Kernel>, arguments), name);
    check_cuda(cudaGetLastError(), name);
}

} // namespace rankfold::device
