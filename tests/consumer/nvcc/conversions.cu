// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A user's kernel over 16-bit numbers. A call that is not for device code would leave it empty.
#include <rankfold/algebra.hpp>
#include <rankfold/cuda.hpp>

__global__ void widen(const rankfold::bfloat16* narrow, float* wide)
{
    *wide = *narrow;
}

__global__ void smaller(const rankfold::float16* x, rankfold::float16* result)
{
    *result = rankfold::float16(rankfold::detail::minimum<float>(x[0], x[1]));
}

__global__ void as_cuda(const rankfold::bfloat16* x, __nv_bfloat16* result)
{
    *result = rankfold::to_cuda(*x);
}
