// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Kahan's summation in parallel: what it gains where it is used as it stands in textbooks, and what it takes
// to keep its promise when threads, warps and blocks combine their sums. Sources: W. Kahan, "Further remarks
// on reducing truncation errors" (1965); T. Ogita, S. Rump, S. Oishi, "Accurate sum and dot product" (2005),
// for the combination of pairs.
#include "block_sum.cuh"

namespace rankfold::bench::ladder {
namespace {

constexpr int threads = 256;
constexpr int blocks_per_multiprocessor = 8;

/// A sum and what its additions have lost: value + error is the better sum.
struct pair {
    float value = 0;
    float error = 0;

    /// Exact: a + b = s + e (Knuth's TwoSum; no assumption about which of the two is larger).
    __device__ void add(float x)
    {
        const float s = __fadd_rn(value, x);
        const float b = __fsub_rn(s, value);
        error = __fadd_rn(error, __fadd_rn(__fsub_rn(value, __fsub_rn(s, b)), __fsub_rn(x, b)));
        value = s;
    }
    __device__ void add(pair other)
    {
        add(other.value);
        error = __fadd_rn(error, other.error);
    }
};

/// Textbook form: compensates inside a thread and forgets the compensation when threads combine.
struct per_thread {
    using sum = float;
    static __device__ float finish(pair p) { return p.value + p.error; }
    static __device__ float combine(float a, float b) { return a + b; }
};
/// Carries the error through every combination.
struct throughout {
    using sum = pair;
    static __device__ pair finish(pair p) { return p; }
    static __device__ pair combine(pair a, pair b)
    {
        a.add(b);
        return a;
    }
};

__device__ float shuffle_down(float x, int distance)
{
    return __shfl_down_sync(whole_warp, x, distance);
}
__device__ pair shuffle_down(pair x, int distance)
{
    return {shuffle_down(x.value, distance), shuffle_down(x.error, distance)};
}
__device__ float rounded(float x)
{
    return x;
}
__device__ float rounded(pair x)
{
    return x.value + x.error;
}

template <class Way>
__device__ typename Way::sum warp_sum(typename Way::sum x)
{
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
        x = Way::combine(x, shuffle_down(x, distance));
    }
    return x;
}

template <class Way>
__device__ typename Way::sum block_sum(typename Way::sum x)
{
    __shared__ typename Way::sum of_warp[threads / warp_size];
    x = warp_sum<Way>(x);
    if (threadIdx.x % warp_size == 0) {
        of_warp[threadIdx.x / warp_size] = x;
    }
    __syncthreads();
    return warp_sum<Way>(threadIdx.x < threads / warp_size ? of_warp[threadIdx.x] : typename Way::sum{});
}

template <class Way>
__global__ void compensated_kernel(const float* input, std::int64_t count, typename Way::sum* partials)
{
    const std::int64_t step = std::int64_t{gridDim.x} * threads;
    pair sum;
    for (std::int64_t i = blockIdx.x * std::int64_t{threads} + threadIdx.x; i < count; i += step) {
        sum.add(input[i]);
    }
    const auto total = block_sum<Way>(Way::finish(sum));
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = total;
    }
}

template <class Way>
__global__ void last_kernel(const typename Way::sum* partials, int count, float* result)
{
    typename Way::sum sum{};
    for (int i = static_cast<int>(threadIdx.x); i < count; i += threads) {
        sum = Way::combine(sum, partials[i]);
    }
    sum = block_sum<Way>(sum);
    if (threadIdx.x == 0) {
        *result = rounded(sum);
    }
}

template <class Way>
void run_compensated(const reduce_problem& p)
{
    const int blocks = blocks_for(p, threads, blocks_per_multiprocessor);
    auto* const partials = reinterpret_cast<typename Way::sum*>(p.partials);
    compensated_kernel<Way><<<blocks, threads, 0, p.stream>>>(p.input, p.count, partials);
    last_kernel<Way><<<1, threads, 0, p.stream>>>(partials, blocks, p.result);
}

} // namespace

std::vector<reduce_rung> compensated_reductions()
{
    return {{"kahan", "threads compensate; what they lose in combining is lost", "error 1e-3 to 1e-6",
             run_compensated<per_thread>},
            {"kahan_throughout", "the compensation travels through lanes, warps and blocks", "",
             run_compensated<throughout>}};
}

} // namespace rankfold::bench::ladder
