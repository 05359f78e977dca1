// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The one public header that pulls in CUDA. It is not needed to pass a stream (execution.stream takes a
// cudaStream_t as it is); it says how this library's 16-bit types become CUDA's.
#pragma once

#include "rankfold/float16.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace rankfold {

/// The same bits as CUDA's type.
RANKFOLD_HOST_DEVICE inline __half to_cuda(float16 x)
{
    return __builtin_bit_cast(__half, x);
}
RANKFOLD_HOST_DEVICE inline __nv_bfloat16 to_cuda(bfloat16 x)
{
    return __builtin_bit_cast(__nv_bfloat16, x);
}

} // namespace rankfold
