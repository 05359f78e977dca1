// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A stream that has some of the GPU's multiprocessors, as one of a green context or of an MPS share.
// CUDA 12.5 and later.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace rankfold::test {

/// On about `multiprocessors` of the current device; blocks of other streams are not kept from them.
class green_stream {
public:
    explicit green_stream(unsigned multiprocessors)
    {
        int device = 0;
        check(cudaGetDevice(&device), "cudaGetDevice");
        check(cudaFree(nullptr), "the primary context");
        CUdevResource all{};
        CUdevResource rest{};
        CUdevResourceDesc description{};
        unsigned groups = 1;
        check(driver<decltype(&cuDeviceGetDevResource)>("cuDeviceGetDevResource")(device, &all,
                                                                                  CU_DEV_RESOURCE_TYPE_SM));
        check(driver<decltype(&cuDevSmResourceSplitByCount)>("cuDevSmResourceSplitByCount")(
            &part_, &groups, &all, &rest, 0, multiprocessors));
        check(driver<decltype(&cuDevResourceGenerateDesc)>("cuDevResourceGenerateDesc")(&description, &part_,
                                                                                        1));
        check(driver<decltype(&cuGreenCtxCreate)>("cuGreenCtxCreate")(&context_, description, device,
                                                                      CU_GREEN_CTX_DEFAULT_STREAM));
        check(driver<decltype(&cuGreenCtxStreamCreate)>("cuGreenCtxStreamCreate")(&stream_, context_,
                                                                                  CU_STREAM_NON_BLOCKING, 0));
    }
    ~green_stream()
    {
        cudaStreamSynchronize(stream_);
        cudaStreamDestroy(stream_);
        driver<decltype(&cuGreenCtxDestroy)>("cuGreenCtxDestroy")(context_);
    }
    green_stream(const green_stream&) = delete;
    green_stream& operator=(const green_stream&) = delete;

    [[nodiscard]] cudaStream_t stream() const noexcept { return stream_; }
    [[nodiscard]] int multiprocessors() const noexcept { return static_cast<int>(part_.sm.smCount); }

private:
    static void check(cudaError_t status, const char* what)
    {
        if (status != cudaSuccess) {
            throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
        }
    }
    static void check(CUresult status)
    {
        if (status != CUDA_SUCCESS) {
            throw std::runtime_error("a green context: CUDA driver error " + std::to_string(status));
        }
    }
    /// By its name, so that programs start on machines without a driver.
    template <class Function>
    static Function driver(const char* name)
    {
        void* found = nullptr;
        check(cudaGetDriverEntryPointByVersion(name, &found, CUDART_VERSION, cudaEnableDefault), name);
        if (found == nullptr) {
            throw std::runtime_error(std::string(name) + ": the driver has none");
        }
        return reinterpret_cast<Function>(found);
    }

    CUdevResource part_{};
    CUgreenCtx context_{};
    CUstream stream_{};
};

} // namespace rankfold::test
