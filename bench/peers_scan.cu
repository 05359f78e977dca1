// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contest.cuh"

#include <cub/device/device_scan.cuh>

namespace rankfold::bench {
namespace {

template <operator_id Op, class T>
contest inclusive(const gpu& device, const char* type, const char* op)
{
    const auto scan_by_cub = [stream = device.stream](void* workspace, std::size_t& bytes, const arena* a,
                                                      std::int64_t count) {
        check(cub::DeviceScan::InclusiveScan(
                  workspace, bytes, a ? reinterpret_cast<const T*>(a->input) : nullptr,
                  a ? reinterpret_cast<T*>(a->rival_result) : nullptr, combine<Op, T>{}, count, stream),
              "cub::DeviceScan");
    };
    contest result = describe<Op, T, T>(device, type, op);
    result.own_workspace_bytes = [what = operation_of<Op, T, T>(), here = place_of(device)](
                                     std::int64_t count) { return what.device.workspace_bytes(count, here); };
    result.rival_workspace_bytes = [=](std::int64_t count) {
        std::size_t bytes = 0;
        scan_by_cub(nullptr, bytes, nullptr, count);
        return bytes;
    };
    result.result_bytes = [](std::int64_t count) { return static_cast<std::size_t>(count) * sizeof(T); };
    result.own = [what = operation_of<Op, T, T>(), here = place_of(device)](const arena& a,
                                                                            std::int64_t count) {
        scan_task task{};
        task.input = a.input;
        task.output = a.own_result;
        task.count = count;
        task.inclusive = true;
        task.workspace = a.own_workspace;
        what.device.scan(what, task, here);
    };
    result.rival = [=](const arena& a, std::int64_t count) {
        std::size_t bytes = a.rival_workspace_bytes;
        scan_by_cub(a.rival_workspace, bytes, &a, count);
    };
    return result;
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
            inclusive<sum, float>(device, "float32", "sum"),
            inclusive<sum, double>(device, "float64", "sum"),
            inclusive<sum, complex<float>>(device, "complex64", "sum"),
            inclusive<sum, complex<double>>(device, "complex128", "sum"),
            inclusive<affine, affine_map<float>>(device, "affine_float32", "affine"),
            inclusive<affine, affine_map<double>>(device, "affine_float64", "affine")};
}

} // namespace rankfold::bench
