// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Bits must not depend on the compiler's freedom to reorder sums or to drop NaN and signed zeros.
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "Rankfold refuses -ffast-math and -ffinite-math-only: its results are promised bit for bit"
#endif

#if defined(__CUDACC__)
#define RANKFOLD_HOST_DEVICE __host__ __device__
#else
#define RANKFOLD_HOST_DEVICE
#endif

// Before loops that kernels seldom go through: unrolled they are in the way of what follows.
#if defined(__CUDA_ARCH__)
#define RANKFOLD_NO_UNROLL _Pragma("unroll 1")
#else
#define RANKFOLD_NO_UNROLL
#endif
