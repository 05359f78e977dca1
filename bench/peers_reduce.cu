// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contest.cuh"

#include <cub/device/device_reduce.cuh>

namespace rankfold::bench {
namespace {

template <class In, class Out = In>
contest sum_of(const gpu& device, const char* type)
{
    constexpr auto op = operator_id::sum;
    const auto reduce_by_cub = [stream = device.stream](void* workspace, std::size_t& bytes, const arena* a,
                                                        std::int64_t count) {
        check(cub::DeviceReduce::Reduce(workspace, bytes, a ? reinterpret_cast<const In*>(a->input) : nullptr,
                                        a ? reinterpret_cast<Out*>(a->rival_result) : nullptr, count,
                                        combine<op, Out>{}, Out{}, stream),
              "cub::DeviceReduce");
    };
    contest result = describe<op, In, Out>(device, type, "sum");
    result.own_workspace_bytes = [what = operation_of<op, In, Out>(), here = place_of(device)](std::int64_t) {
        return what.device.workspace_bytes(0, here);
    };
    result.rival_workspace_bytes = [=](std::int64_t count) {
        std::size_t bytes = 0;
        reduce_by_cub(nullptr, bytes, nullptr, count);
        return bytes;
    };
    result.result_bytes = [](std::int64_t) { return sizeof(Out); };
    result.own = [what = operation_of<op, In, Out>(), here = place_of(device)](const arena& a,
                                                                               std::int64_t count) {
        what.device.reduce(what, {a.input, count, a.own_result, a.own_workspace}, here);
    };
    result.rival = [=](const arena& a, std::int64_t count) {
        std::size_t bytes = a.rival_workspace_bytes;
        reduce_by_cub(a.rival_workspace, bytes, &a, count);
    };
    return result;
}

} // namespace

std::vector<contest> reduce_contests(const gpu& device)
{
    return {sum_of<std::int8_t, std::int64_t>(device, "int8"),
            sum_of<std::int16_t, std::int64_t>(device, "int16"),
            sum_of<std::int32_t>(device, "int32"),
            sum_of<std::int64_t>(device, "int64"),
            sum_of<float>(device, "float32"),
            sum_of<double>(device, "float64"),
            sum_of<complex<float>>(device, "complex64"),
            sum_of<complex<double>>(device, "complex128")};
}

} // namespace rankfold::bench
