// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of a contest that reductions and scans share.
#pragma once

#include "peers.hpp"

#include "cuda_backend/builtin.hpp"

#include "rankfold/permitted.hpp"

namespace rankfold::bench {

/// Element i: -1, 0 or 1; a complex number or a map of two of them.
template <class T>
struct small_integer {
    __device__ T operator()(std::uint32_t i) const
    {
        return static_cast<T>(static_cast<int>(hash(i) % 3) - 1);
    }
    __device__ static std::uint32_t hash(std::uint32_t i)
    {
        i *= 2654435761U;
        i ^= i >> 15;
        i *= 2246822519U;
        return i ^ i >> 13;
    }
};
template <class T>
struct small_integer<complex<T>> {
    __device__ complex<T> operator()(std::uint32_t i) const
    {
        return {small_integer<T>{}(i), small_integer<T>{}(~i)};
    }
};
template <class T>
struct small_integer<affine_map<T>> {
    __device__ affine_map<T> operator()(std::uint32_t i) const
    {
        return {small_integer<T>::hash(i) % 5 < 2 ? T{-1} : T{1}, small_integer<T>{}(~i)};
    }
};

template <class T>
__global__ void fill_kernel(T* x, std::int64_t count)
{
    const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
    for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < count; i += step) {
        x[i] = small_integer<T>{}(static_cast<std::uint32_t>(i));
    }
}

/// The operator as a function object, for CUB.
template <operator_id Op, class T>
struct combine {
    __host__ __device__ T operator()(const T& l, const T& r) const
    {
        return builtin_algebra<Op, T, T>{}.combine(l, r);
    }
};

/// Everything of a contest but the two sides.
template <operator_id Op, class In, class Out>
contest describe(const gpu& device, const char* type, const char* op)
{
    contest result;
    result.type = type;
    result.op = op;
    result.element_bytes = sizeof(In);
    result.compiled = [] {
        return cuda::find_phases(Op, element_type_of<In>, element_type_of<Out>) != nullptr;
    };
    result.fill = [stream = device.stream](const arena& a, std::int64_t count) {
        fill_kernel<<<1024, 256, 0, stream>>>(reinterpret_cast<In*>(a.input), count);
        check(cudaGetLastError(), "fill_kernel");
    };
    return result;
}

[[nodiscard]] inline place place_of(const gpu& device)
{
    return {
        .stream = device.stream, .multiprocessors = device.multiprocessors, .capability = device.capability};
}

/// The operation as the library would run it.
template <operator_id Op, class In, class Out>
operation operation_of()
{
    operation result = describe_operation(builtin_algebra<Op, In, Out>{}, Op);
    if (const local_phases* phases = cuda::find_phases(Op, element_type_of<In>, element_type_of<Out>)) {
        result.device = *phases;
    }
    return result;
}

} // namespace rankfold::bench
