// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What every header needs first: a compiler that can read the others, and arithmetic as it is written.
#pragma once

// After #error g++ and clang read on; a file that is missing stops them, so that one line is all that they
// say.
#if !defined(__cplusplus) || __cplusplus < 202002L
#error "Rankfold needs C++20: compile with -std=c++20 or later"
#include "rankfold/stop_here"
#elif !defined(__cpp_exceptions)
#error "Rankfold reports errors by exceptions: compile without -fno-exceptions"
#include "rankfold/stop_here"
#endif

// Bits must not depend on the compiler's freedom to reorder sums or to drop NaN and signed zeros. (g++ tells
// of each part of -ffast-math, clang of the whole and of -ffinite-math-only. nvcc: device/simt.cuh.)
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) ||               \
    defined(__NO_SIGNED_ZEROS__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error                                                                                                       \
    "Rankfold refuses -ffast-math and its parts (-fassociative-math, -freciprocal-math, -fno-signed-zeros, -ffinite-math-only): its results are promised bit for bit"
#include "rankfold/stop_here"
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
