// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contest.cuh"
#include "peers.hpp"

#include <cub/device/device_scan.cuh>

namespace rankfold::bench {
namespace {

/// An element as CUB takes it: a 16-bit type that converts by itself from and to the float it is added in.
template <class T>
struct cub_element {
    using type = T;
};
template <class T>
requires rankfold::detail::is_half<T>
struct cub_element<T> {
    struct type : T {
        type() = default;
        __host__ __device__ type(float x) : T(x) {}
    };
};

template <operator_id Op, class T>
side own_scan(const gpu& device, const T* input, std::int64_t count)
{
    const operation what = operation_of<Op, T, T>();
    const place here = place_of(device);
    const shared_memory result = share_array<T>(count);
    const shared_memory workspace = share_memory(what.device.workspace_bytes(count, here));
    scan_task task{};
    task.input = input;
    task.output = result->data();
    task.count = count;
    task.inclusive = true;
    task.workspace = workspace->data();
    // The task points into both.
    return {"own", [=, keep = workspace] { what.device.scan(what, task, here); }, result};
}

template <operator_id Op, class T>
side scan_by_cub(const gpu& device, const T* input, std::int64_t count)
{
    using element = typename cub_element<T>::type;
    const shared_memory result = share_array<T>(count);
    return {"cub", cub_call([=, stream = device.stream](void* workspace, std::size_t& bytes) {
                return cub::DeviceScan::InclusiveScan(
                    workspace, bytes, reinterpret_cast<const element*>(input), result->as<element>(),
                    cub_operator<Op, T>{}, count, stream);
            }),
            result};
}

template <operator_id Op, class T>
contest inclusive(const gpu& device, const char* type, const char* op)
{
    return {
        .type = type,
        .op = op,
        .element_bytes = sizeof(T),
        .against = peak::copy,
        .traffic = 2,
        .arrays = 3,
        .compiled = phases_of<Op, T, T>() != nullptr,
        .prepare = [=](std::int64_t count) {
            match result{.input = make_input<T>(device, 0, count),
                         .result = {{0, static_cast<std::size_t>(count) * sizeof(T)}}};
            const T* input = result.input->as<T>();
            result.sides = {own_scan<Op, T>(device, input, count), scan_by_cub<Op, T>(device, input, count)};
            return result;
        }};
}

} // namespace

std::vector<contest> scan_contests(const gpu& device)
{
    constexpr auto sum = operator_id::sum;
    constexpr auto affine = operator_id::affine;
    return {inclusive<sum, std::int8_t>(device, "int8", "sum"),
            inclusive<sum, std::int16_t>(device, "int16", "sum"),
            inclusive<sum, std::int32_t>(device, "int32", "sum"),
            inclusive<sum, std::int64_t>(device, "int64", "sum"),
            inclusive<sum, float16>(device, "float16", "sum"),
            inclusive<sum, bfloat16>(device, "bfloat16", "sum"),
            inclusive<sum, float>(device, "float32", "sum"),
            inclusive<sum, double>(device, "float64", "sum"),
            inclusive<sum, complex<float>>(device, "complex64", "sum"),
            inclusive<sum, complex<double>>(device, "complex128", "sum"),
            inclusive<affine, affine_map<float>>(device, "affine_float32", "affine"),
            inclusive<affine, affine_map<double>>(device, "affine_float64", "affine")};
}

} // namespace rankfold::bench
