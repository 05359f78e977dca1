// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Refuses -use_fast_math and its parts -ftz=true, -prec-div=false and -prec-sqrt=false. nvcc tells its
// preprocessor nothing of them; they are known when instructions are made, and what remains then is a call of
// a function that there is not: ptxas names it, and stops. (-fmad cannot be asked for: see
// rankfold/user_operator.hpp.)
#pragma once

extern "C" {
__device__ int __nvvm_reflect(const char* name) noexcept; // a constant, whatever the optimisation
__device__ void rankfold_refuses_use_fast_math_and_ftz_and_prec_div_and_prec_sqrt();
}

namespace rankfold::device {

__device__ __forceinline__ void refuse_fast_math()
{
    if (__nvvm_reflect("__CUDA_FTZ") != 0 || __nvvm_reflect("__CUDA_PREC_DIV") == 0 ||
        __nvvm_reflect("__CUDA_PREC_SQRT") == 0) {
        rankfold_refuses_use_fast_math_and_ftz_and_prec_div_and_prec_sqrt();
    }
}

} // namespace rankfold::device
