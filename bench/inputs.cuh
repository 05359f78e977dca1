// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Inputs of all contests: small integers that look random and depend on the index alone.
#pragma once

#include "contest.hpp"

#include "rankfold/types.hpp"

namespace rankfold::bench {

/// Element i: -1, 0 or 1; a complex number or a map of two of them.
template <class T>
struct small_integer {
    __host__ __device__ T operator()(std::uint32_t i) const
    {
        return static_cast<T>(static_cast<int>(hash(i) % 3) - 1);
    }
    __host__ __device__ static std::uint32_t hash(std::uint32_t i)
    {
        i *= 2654435761U;
        i ^= i >> 15;
        i *= 2246822519U;
        return i ^ i >> 13;
    }
};
template <class T>
requires rankfold::detail::is_half<T>
struct small_integer<T> {
    __host__ __device__ T operator()(std::uint32_t i) const { return T{small_integer<float>{}(i)}; }
};
template <class T>
struct small_integer<complex<T>> {
    __host__ __device__ complex<T> operator()(std::uint32_t i) const
    {
        return {small_integer<T>{}(i), small_integer<T>{}(~i)};
    }
};
template <class T>
struct small_integer<affine_map<T>> {
    __host__ __device__ affine_map<T> operator()(std::uint32_t i) const
    {
        return {small_integer<T>::hash(i) % 5 < 2 ? T{-1} : T{1}, small_integer<T>{}(~i)};
    }
};

template <class T>
__global__ void fill_kernel(T* x, std::int64_t first, std::int64_t count)
{
    const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
    for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < count; i += step) {
        x[i] = small_integer<T>{}(static_cast<std::uint32_t>(first + i));
    }
}

/// The elements `first` ... `first` + `count` - 1 of the global array in device memory.
template <class T>
shared_memory make_input(const gpu& device, std::int64_t first, std::int64_t count)
{
    shared_memory result = share_array<T>(count);
    fill_kernel<<<1024, 256, 0, device.stream>>>(result->as<T>(), first, count);
    check(cudaGetLastError(), "fill_kernel");
    return result;
}

} // namespace rankfold::bench
