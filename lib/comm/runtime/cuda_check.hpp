// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One macro around every call into the CUDA runtime.
#pragma once

#include "rankfold/error.hpp"

#include <cuda_runtime_api.h>

namespace rankfold::detail {
[[noreturn]] void throw_cuda_error(int code, const char* what);
} // namespace rankfold::detail

#define RANKFOLD_CUDA(call)                                                                                  \
    do {                                                                                                     \
        if (const cudaError_t rankfold_code = (call); rankfold_code != cudaSuccess) {                        \
            ::rankfold::detail::throw_cuda_error(rankfold_code, #call);                                      \
        }                                                                                                    \
    } while (false)
