// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of a contest on one GPU that reductions and scans share: the library's local phases against CUB.
#pragma once

#include "cub_call.hpp"
#include "inputs.cuh"

#include "cuda_backend/builtin.hpp"

#include "rankfold/permitted.hpp"

#include <cuda/std/functional>

namespace rankfold::bench {

/// An operator as a function object, for CUB.
template <operator_id Op, class T>
struct combine {
    __host__ __device__ T operator()(const T& l, const T& r) const
    {
        return builtin_algebra<Op, T, T>{}.combine(l, r);
    }
};

/// What gets the best out of CUB: it is tuned for its own plus. 16-bit types are added in float.
template <operator_id Op, class T>
using cub_operator =
    std::conditional_t<Op == operator_id::sum && (std::is_arithmetic_v<T> || rankfold::detail::is_half<T>),
                       ::cuda::std::plus<std::conditional_t<rankfold::detail::is_half<T>, float, T>>,
                       combine<Op, T>>;

/// The local phases as compiled into the library, or null.
template <operator_id Op, class In, class Out>
const local_phases* phases_of()
{
    return cuda::find_phases(Op, element_type_of<In>, element_type_of<Out>);
}

/// The operation as the library would run it.
template <operator_id Op, class In, class Out>
operation operation_of()
{
    operation result = describe_operation(builtin_algebra<Op, In, Out>{}, Op);
    result.device = *phases_of<Op, In, Out>();
    return result;
}

[[nodiscard]] inline place place_of(const gpu& device)
{
    return {.stream = device.stream, .multiprocessors = device.multiprocessors};
}

} // namespace rankfold::bench
