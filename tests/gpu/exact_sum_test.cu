// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The records of exact sums in a kernel: the same bits as on the host, whatever the merges.
#include "device.hpp"

#include "rankfold/exact/wide_sum.hpp"
#include "support/exact_sum.hpp"
#include "support/expect.hpp"
#include "support/hard_sums.hpp"

namespace rankfold::test {
namespace {

using exact::short_sum;
using exact::sum_of_numbers;

/// What a kernel makes of one array.
struct answers {
    sum_of_numbers::record whole;
    short_sum window;
    double in_double;
    float in_float;
    float16 in_half;
    bfloat16 in_bfloat;
    double from_windows; ///< each element in a window of its own, merged as far as one window goes
};

RANKFOLD_HOST_DEVICE answers sum_up(const double* x, int count)
{
    sum_of_numbers sum;
    sum_of_numbers beside;
    short_sum window;
    for (int i = 0; i < count; ++i) {
        sum.add(x[i]);
        sum_of_numbers one;
        one.add(x[i]);
        const short_sum record = one.to_short();
        if (!merge(window, record)) {
            beside.merge(record);
        }
    }
    beside.merge(window);
    return {sum.to_record(),      sum.to_short(),        sum.lower<double>(),   sum.lower<float>(),
            sum.lower<float16>(), sum.lower<bfloat16>(), beside.lower<double>()};
}

/// One array for each thread.
struct sum_cases {
    const double* values;
    const int* begins;
    answers* results;
    __device__ void operator()(std::int64_t i) const
    {
        results[i] = sum_up(values + begins[i], begins[i + 1] - begins[i]);
    }
};

TEST(ExactSum, IsTheSameInKernels)
{
    auto cases = hard_sums(31);
    for (const double x : special_numbers()) {
        for (const double y : special_numbers()) {
            cases.push_back({"special", {x, y}});
        }
    }
    std::vector<double> values;
    std::vector<int> begins{0};
    for (const hard_case& c : cases) {
        values.insert(values.end(), c.values.begin(), c.values.end());
        begins.push_back(static_cast<int>(values.size()));
    }
    const device_memory values_there(values.size() * sizeof(double));
    const device_memory begins_there(begins.size() * sizeof(int));
    const device_memory results_there(cases.size() * sizeof(answers));
    const auto copy = [](void* to, const void* from, std::size_t bytes) {
        device::check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
    };
    copy(values_there.as(), values.data(), values.size() * sizeof(double));
    copy(begins_there.as(), begins.data(), begins.size() * sizeof(int));

    for_each_kernel<<<4, 32>>>(
        static_cast<std::int64_t>(cases.size()),
        sum_cases{values_there.as<double>(), begins_there.as<int>(), results_there.as<answers>()});
    device::check_cuda(cudaDeviceSynchronize(), "for_each_kernel");
    std::vector<answers> results(cases.size());
    copy(results.data(), results_there.as(), cases.size() * sizeof(answers));

    for (std::size_t i = 0; i < cases.size(); ++i) {
        const std::vector<double>& x = cases[i].values;
        sum_of_numbers sum;
        for (const double value : x) {
            sum.add(value);
        }
        EXPECT_TRUE(same_bits(results[i].whole, sum.to_record())) << cases[i].name;
        EXPECT_TRUE(same_bits(results[i].window, sum.to_short())) << cases[i].name;
        EXPECT_TRUE(same_bits(results[i].in_double, exact_sum_of<double>(x))) << cases[i].name;
        EXPECT_TRUE(same_bits(results[i].in_float, exact_sum_of<float>(x))) << cases[i].name;
        EXPECT_TRUE(same_bits(results[i].in_half, exact_sum_of<float16>(x))) << cases[i].name;
        EXPECT_TRUE(same_bits(results[i].in_bfloat, exact_sum_of<bfloat16>(x))) << cases[i].name;
        EXPECT_TRUE(same_bits(results[i].from_windows, exact_sum_of<double>(x))) << cases[i].name;
    }
}

} // namespace
} // namespace rankfold::test
