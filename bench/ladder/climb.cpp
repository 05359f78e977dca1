// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "climb.hpp"

#include "../peers.hpp"
#include "rung.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace rankfold::bench::ladder {
namespace {

/// The contest over sums of float32: its input, and the sides of the library and of CUB.
match float_sums(const std::vector<contest>& contests, std::int64_t count)
{
    const auto found = std::find_if(contests.begin(), contests.end(),
                                    [](const contest& c) { return c.type == "float32" && c.op == "sum"; });
    if (found == contests.end() || !found->compiled) {
        throw std::runtime_error("the library was built without sums of float32");
    }
    return found->prepare(count);
}

void add_library_and_cub(std::vector<step>& steps, const match& m)
{
    for (const side& s : m.sides) {
        const bool own = s.name == "own";
        steps.push_back({own ? "library" : s.name, own ? "Rankfold's own" : "the rival of the toolkit", "",
                         s.run, s.result});
    }
}

template <class T>
std::vector<T> on_host(const device_memory& memory, std::int64_t count)
{
    std::vector<T> result(static_cast<std::size_t>(count));
    check(cudaDeviceSynchronize(), "input");
    check(cudaMemcpy(result.data(), memory.data(), result.size() * sizeof(T), cudaMemcpyDefault), "input");
    return result;
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values)
{
    std::vector<std::byte> result(values.size() * sizeof(T));
    std::memcpy(result.data(), values.data(), result.size());
    return result;
}

void add_reductions(std::vector<step>& steps, const gpu& device, const device_memory& input,
                    std::int64_t count, const std::vector<reduce_rung>& rungs)
{
    for (const reduce_rung& r : rungs) {
        const shared_memory result = share_array<float>(1);
        const shared_memory partials = share_array<float>(most_partials(count));
        const reduce_problem problem{input.as<float>(),      count,
                                     result->as<float>(),    partials->as<float>(),
                                     device.multiprocessors, device.stream};
        steps.push_back({r.name, r.mends, r.claim,
                         [run = r.run, problem, partials] {
                             run(problem);
                             check(cudaGetLastError(), "rung");
                         },
                         result});
    }
}

void add_scans(std::vector<step>& steps, const gpu& device, const device_memory& input, std::int64_t count,
               const std::vector<scan_rung>& rungs)
{
    for (const scan_rung& r : rungs) {
        const shared_memory output = share_array<float>(count);
        const shared_memory totals = share_array<float>(most_totals(count));
        const scan_problem problem{input.as<float>(), output->as<float>(), count, totals->as<float>(),
                                   device.stream};
        steps.push_back({r.name, r.mends, r.claim,
                         [run = r.run, problem, totals] {
                             run(problem);
                             check(cudaGetLastError(), "rung");
                         },
                         output});
    }
}

} // namespace

climb reduce_climb(const gpu& device, std::int64_t count)
{
    const match m = float_sums(reduce_contests(device), count);
    climb result{.input = m.input, .steps = {}, .result_bytes = sizeof(float), .expected = {}};
    for (const auto& family : {shared_memory_reductions(), shuffle_reductions(), vectorized_reductions(),
                               compensated_reductions(), async_copy_reductions(), tensor_core_reductions()}) {
        add_reductions(result.steps, device, *m.input, count, family);
    }
    add_library_and_cub(result.steps, m);
    std::int64_t sum = 0;
    for (const float x : on_host<float>(*m.input, count)) {
        sum += static_cast<std::int64_t>(x);
    }
    result.expected = bytes_of(std::vector<float>{static_cast<float>(sum)});
    return result;
}

climb scan_climb(const gpu& device, std::int64_t count)
{
    const match m = float_sums(scan_contests(device), count);
    climb result{.input = m.input,
                 .steps = {},
                 .result_bytes = static_cast<std::size_t>(count) * sizeof(float),
                 .expected = {}};
    for (const auto& family : {blelloch_scans(), hillis_steele_scans(), multi_level_scans(), warp_scans(),
                               tensor_core_scans(), lookback_scans()}) {
        add_scans(result.steps, device, *m.input, count, family);
    }
    add_library_and_cub(result.steps, m);
    std::vector<float> values = on_host<float>(*m.input, count);
    std::int64_t sum = 0;
    for (float& x : values) {
        sum += static_cast<std::int64_t>(x);
        x = static_cast<float>(sum);
    }
    result.expected = bytes_of(values);
    return result;
}

error_climb kahan_climb(const gpu& device, std::int64_t count)
{
    // The second half takes the first away again, but for 0 or 1 an element.
    std::vector<float> values(static_cast<std::size_t>(count / 2 * 2));
    const std::size_t half = values.size() / 2;
    std::uint64_t state = 88172645463325252U; // xorshift64: G. Marsaglia, "Xorshift RNGs" (2003)
    std::int64_t exact = 0;
    double magnitudes = 0;
    for (std::size_t i = 0; i < half; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const std::int64_t x = static_cast<std::int64_t>(state >> 40) - (std::int64_t{1} << 23);
        const auto rest = static_cast<std::int64_t>(state & 1);
        values[i] = static_cast<float>(x);
        values[half + i] = static_cast<float>(rest - x);
        exact += rest;
        magnitudes += 2.0 * static_cast<double>(std::abs(x));
    }
    match m = float_sums(reduce_contests(device), static_cast<std::int64_t>(values.size()));
    check(cudaDeviceSynchronize(), "input");
    check(cudaMemcpy(m.input->data(), values.data(), values.size() * sizeof(float), cudaMemcpyDefault),
          "input");
    error_climb result{.input = m.input,
                       .steps = {},
                       .exact = static_cast<double>(exact),
                       .condition = magnitudes / static_cast<double>(exact)};
    const auto n = static_cast<std::int64_t>(values.size());
    add_reductions(result.steps, device, *m.input, n, vectorized_reductions());
    result.steps.pop_back(); // of the vectorized ones the first is enough
    add_reductions(result.steps, device, *m.input, n, compensated_reductions());
    add_library_and_cub(result.steps, m);
    return result;
}

} // namespace rankfold::bench::ladder
