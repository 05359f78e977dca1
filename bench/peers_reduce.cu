// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contest.cuh"
#include "peers.hpp"

#include <cub/device/device_reduce.cuh>

namespace rankfold::bench {
namespace {

template <operator_id Op, class In, class Out>
side own_reduce(const gpu& device, const In* input, std::int64_t count)
{
    const operation what = operation_of<Op, In, Out>();
    const place here = place_of(device);
    const shared_memory result = share_memory(sizeof(Out) + 64); // a record is an accumulator and a word
    const shared_memory workspace = share_memory(what.device.workspace_bytes(0, here));
    return {"own",
            [=] {
                what.device.reduce(what, {input, count, result->data(), workspace->data()}, here);
            },
            result};
}

template <class In, class Out>
side sum_by_cub(const gpu& device, const In* input, std::int64_t count)
{
    const shared_memory result = share_memory(sizeof(Out));
    return {"cub", cub_call([=, stream = device.stream](void* workspace, std::size_t& bytes) {
                return cub::DeviceReduce::Reduce(workspace, bytes, input, result->as<Out>(), count,
                                                 cub_operator<operator_id::sum, Out>{}, Out{}, stream);
            }),
            result};
}

/// Value and index stand where the library's record has them.
template <class T>
side min_loc_by_cub(const gpu& device, const T* input, std::int64_t count)
{
    const shared_memory result = share_memory(sizeof(located<T>));
    return {"cub", cub_call([=, stream = device.stream](void* workspace, std::size_t& bytes) {
                auto* place = result->as<located<T>>();
                return cub::DeviceReduce::ArgMin(workspace, bytes, input, &place->value, &place->index, count,
                                                 stream);
            }),
            result};
}

template <operator_id Op, class In, class Out>
contest contest_of(const char* type, const char* op, const std::function<match(std::int64_t)>& prepare)
{
    return {.type = type,
            .op = op,
            .element_bytes = sizeof(In),
            .against = peak::read,
            .traffic = 1,
            .arrays = 1,
            .compiled = phases_of<Op, In, Out>() != nullptr,
            .prepare = prepare};
}

template <class In, class Out = In>
contest sum_of(const gpu& device, const char* type)
{
    constexpr auto sum = operator_id::sum;
    return contest_of<sum, In, Out>(type, "sum", [=](std::int64_t count) {
        match result{.input = make_input<In>(device, 0, count), .result = {{0, sizeof(Out)}}};
        const In* input = result.input->as<In>();
        result.sides = {own_reduce<sum, In, Out>(device, input, count),
                        sum_by_cub<In, Out>(device, input, count)};
        return result;
    });
}

template <class T>
contest min_loc_of(const gpu& device, const char* type)
{
    constexpr auto min_loc = operator_id::min_loc;
    using place = located<T>;
    return contest_of<min_loc, T, place>(type, "min_loc", [=](std::int64_t count) {
        match result{
            .input = make_input<T>(device, 0, count),
            .result = {{offsetof(place, value), sizeof(T)}, {offsetof(place, index), sizeof(std::int64_t)}}};
        const T* input = result.input->as<T>();
        result.sides = {own_reduce<min_loc, T, place>(device, input, count),
                        min_loc_by_cub<T>(device, input, count)};
        return result;
    });
}

} // namespace

std::vector<contest> reduce_contests(const gpu& device)
{
    return {sum_of<std::int8_t, std::int64_t>(device, "int8"),
            sum_of<std::int16_t, std::int64_t>(device, "int16"),
            sum_of<std::int32_t>(device, "int32"),
            sum_of<std::int64_t>(device, "int64"),
            sum_of<float16, float>(device, "float16"),
            sum_of<bfloat16, float>(device, "bfloat16"),
            sum_of<float>(device, "float32"),
            sum_of<double>(device, "float64"),
            sum_of<complex<float>>(device, "complex64"),
            sum_of<complex<double>>(device, "complex128"),
            min_loc_of<float>(device, "float32")};
}

} // namespace rankfold::bench
