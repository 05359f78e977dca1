// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What becomes of a CUDA call that fails: its own status decides, and one error tells it. The error that
// CUDA keeps for the thread is the user's: only what the library's own call left there is taken away.
#pragma once

#include "rankfold/error.hpp"

#include <cuda_runtime_api.h>

#include <atomic>
#include <string>

namespace rankfold::device {

/// Calls that may fail on one rank alone; and the question whether the device has memory pools.
enum class cuda_step { launch, cooperative_launch, allocate, copy, ask_for_pools };

/// For tests: asked before each of them, by whatever thread; what it returns other than cudaSuccess the call
/// fails with, and is not made.
using cuda_fault = cudaError_t (*)(cuda_step);
inline std::atomic<cuda_fault> planted_fault{nullptr};

/// The status of `call`, or of the fault that was planted there.
template <class Call>
cudaError_t status_of(cuda_step step, Call call)
{
    if (const cuda_fault fault = planted_fault.load(std::memory_order_acquire); fault != nullptr) {
        if (const cudaError_t status = fault(step); status != cudaSuccess) {
            return status;
        }
    }
    return call();
}

/// After a call of the library's own that ended with `status` and is dealt with.
inline void forget_error(cudaError_t status)
{
    if (status != cudaSuccess && cudaPeekAtLastError() == status) {
        cudaGetLastError();
    }
}

/// Whether a kernel has left the error, for whichever call comes next to return it.
inline bool is_left_by_a_kernel(cudaError_t status)
{
    switch (static_cast<int>(status)) {
    case cudaErrorECCUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
        return true;
    default:
        return false;
    }
}

/// @throws error with origin cuda if `status` is not a success: out_of_memory or backend
inline void check_cuda(cudaError_t status, const char* what)
{
    if (status == cudaSuccess) {
        return;
    }
    forget_error(status);
    throw error(status == cudaErrorMemoryAllocation ? errc::out_of_memory : errc::backend, error_origin::cuda,
                static_cast<int>(status), -1,
                std::string(what) + (is_left_by_a_kernel(status) ? " (this or an earlier kernel): " : ": ") +
                    cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")");
}

} // namespace rankfold::device
