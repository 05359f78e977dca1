// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How kernels are launched, and what happens when that fails.
#pragma once

#include "rankfold/device/simt.cuh"
#include "rankfold/error.hpp"
#include "rankfold/operation.hpp"

#include <cuda_runtime.h>

#include <string>

namespace rankfold::device {

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

/// Shared memory of a kernel; more than a kernel gets unasked is asked for.
template <class Kernel>
std::size_t shared_bytes(const char* name)
{
    constexpr std::size_t unasked_bytes = 48 * 1024;
    constexpr std::size_t bytes = sizeof(typename Kernel::storage);
    if constexpr (bytes > unasked_bytes) {
        check_cuda(cudaFuncSetAttribute(simt::entry<Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(bytes)),
                   name);
    }
    return bytes;
}

/// Loads a kernel, so that no launch has to. @throws error with origin cuda, naming the kernel
template <class Kernel>
void load(const char* name)
{
    cudaFuncAttributes ignored{};
    check_cuda(cudaFuncGetAttributes(&ignored, simt::entry<Kernel>), name);
}

/// @throws error with origin cuda, naming the kernel
template <class Kernel>
void launch(const char* name, int blocks, const typename Kernel::arguments& arguments, const place& where,
            residency needed = residency::any)
{
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(Kernel::threads);
    config.dynamicSmemBytes = shared_bytes<Kernel>(name);
    config.stream = where.stream;
    config.attrs = &attribute;
    config.numAttrs = needed == residency::cooperative ? 1 : 0;
    check_cuda(cudaLaunchKernelEx(&config, simt::entry<Kernel>, arguments), name);
    check_cuda(cudaGetLastError(), name);
}

} // namespace rankfold::device
