// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The __global__ function of a kernel. Only nvcc sees it.
#pragma once

#include "rankfold/device/arithmetic.cuh"
#include "rankfold/device/simt.cuh"

namespace rankfold::simt {

template <class Kernel>
RANKFOLD_HOST_DEVICE constexpr int least_capability()
{
    if constexpr (requires { Kernel::capability; }) {
        return Kernel::capability;
    } else {
        return 80;
    }
}

template <class Kernel>
RANKFOLD_HOST_DEVICE constexpr bool lets_next_start()
{
    if constexpr (requires { Kernel::lets_next_start; }) {
        return Kernel::lets_next_start;
    } else {
        return false;
    }
}

/// Empty where the kernel needs a newer machine; it is never launched there.
///
/// Nothing is read or written before all that is before it on the stream has ended and is visible. Where the
/// kernel lets the next one start, that one may take its place on the GPU when all blocks of this one run,
/// and waits there: only for kernels that wait for nobody who could need the place, such as another rank's
/// work.
template <class Kernel>
__global__ void __launch_bounds__(Kernel::threads, Kernel::resident)
    entry(const __grid_constant__ typename Kernel::arguments args)
{
    device::refuse_fast_math();
    await_kernels_before();
    if constexpr (lets_next_start<Kernel>()) {
        let_next_start();
    }
    if constexpr (compiled_capability >= least_capability<Kernel>()) {
        extern __shared__ __align__(128) unsigned char shared[];
        block self;
        Kernel::run(self, args, *reinterpret_cast<typename Kernel::storage*>(shared));
    }
}

} // namespace rankfold::simt
