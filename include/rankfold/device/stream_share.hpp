// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How many multiprocessors a stream has while it is captured: fewer than the device's where it is one of a
// green context. CUDA refuses an eager cooperative launch that does not fit, but captures it, and the replay
// would wait for ever. Asking a captured stream may invalidate the capture with some drivers: that is tried
// once, beforehand, on a stream of its own.
#pragma once

#include "rankfold/device/cuda_error.hpp"

#include <cuda.h>

namespace rankfold::device {

/// The two functions of the driver; null where it has none.
struct stream_share_functions {
#if CUDA_VERSION >= 12050
    decltype(&cuStreamGetGreenCtx) green_context = nullptr;
    decltype(&cuGreenCtxGetDevResource) resource = nullptr;
#endif

    static stream_share_functions find()
    {
        stream_share_functions found;
#if CUDA_VERSION >= 12050
        found.green_context = function<decltype(&cuStreamGetGreenCtx)>("cuStreamGetGreenCtx");
        found.resource = function<decltype(&cuGreenCtxGetDevResource)>("cuGreenCtxGetDevResource");
#endif
        return found;
    }

    /// Of a stream: `otherwise` where it is none of a green context, 0 where the driver does not say.
    [[nodiscard]] int multiprocessors(cudaStream_t stream, int otherwise) const
    {
#if CUDA_VERSION >= 12050
        CUgreenCtx context = nullptr;
        CUdevResource part{};
        if (green_context == nullptr || resource == nullptr ||
            green_context(stream, &context) != CUDA_SUCCESS) {
            return 0;
        }
        if (context == nullptr) {
            return otherwise;
        }
        return resource(context, &part, CU_DEV_RESOURCE_TYPE_SM) == CUDA_SUCCESS
                   ? static_cast<int>(part.sm.smCount)
                   : 0;
#else
        static_cast<void>(stream);
        return otherwise;
#endif
    }

private:
#if CUDA_VERSION >= 12050
    template <class Function>
    static Function function(const char* name)
    {
        void* found = nullptr;
        const cudaError_t status =
            cudaGetDriverEntryPointByVersion(name, &found, CUDART_VERSION, cudaEnableDefault);
        forget_error(status);
        return status == cudaSuccess ? reinterpret_cast<Function>(found) : nullptr;
    }
#endif
};

/// Whether a stream may be asked while it is captured. On a stream of its own.
inline bool captures_survive(const stream_share_functions& ask)
{
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) {
        return false;
    }
    bool says = false;
    cudaError_t status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (status == cudaSuccess) {
        says = ask.multiprocessors(stream, 1) == 1;
        status = cudaStreamEndCapture(stream, &graph);
    }
    forget_error(status);
    if (graph != nullptr) {
        cudaGraphDestroy(graph);
    }
    cudaStreamDestroy(stream);
    return says && status == cudaSuccess;
}

/// Asked for the first time while nothing of this thread is captured: kernels are made ready then.
inline bool may_ask_captured_streams()
{
    static const bool may = captures_survive(stream_share_functions::find());
    return may;
}

/// Of a stream that is captured; of the whole device where the driver does not say.
inline int multiprocessors_of_captured(cudaStream_t stream, int of_device)
{
    static const stream_share_functions ask = stream_share_functions::find();
    const int said = may_ask_captured_streams() ? ask.multiprocessors(stream, of_device) : 0;
    return said > 0 ? said : of_device;
}

} // namespace rankfold::device
