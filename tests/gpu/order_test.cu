// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Launches that overlap with the end of the one before: each sees all that the one before has left, on a
// stream and in a replayed graph.
#include "forms.hpp"

#include "rankfold/permitted.hpp"

#include <functional>

namespace rankfold::test {
namespace {

using element = std::uint64_t; // modulo 2^64
using algebra = builtin_algebra<operator_id::sum, element, element>;
using phases = device::phases<algebra>;

/// Calls of which each works on what the one before has left.
class Order : public gpu_test {
protected:
    /// `call` a thousand times on a stream, then as often in a graph. Returns the number of calls.
    std::uint64_t repeat(const std::function<void()>& call)
    {
        const int times = repeats(1000);
        for (int i = 0; i < times; ++i) {
            call();
        }
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t replay = nullptr;
        device::check_cuda(cudaStreamBeginCapture(here.stream, cudaStreamCaptureModeThreadLocal), "capture");
        for (int i = 0; i < times / 10; ++i) {
            call();
        }
        device::check_cuda(cudaStreamEndCapture(here.stream, &graph), "capture");
        device::check_cuda(cudaGraphInstantiate(&replay, graph, 0), "graph");
        for (int i = 0; i < 10; ++i) {
            device::check_cuda(cudaGraphLaunch(replay, here.stream), "graph");
        }
        device::check_cuda(cudaStreamSynchronize(here.stream), "graph");
        cudaGraphExecDestroy(replay);
        cudaGraphDestroy(graph);
        return static_cast<std::uint64_t>(times) + times / 10 * 10;
    }

    static std::vector<element> numbers(std::int64_t count)
    {
        std::vector<element> x(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = i * 0x9e3779b97f4a7c15ULL + 1;
        }
        return x;
    }
    void copy(void* to, const void* from, std::size_t bytes) const
    {
        device::check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, here.stream), "copy");
        device::check_cuda(cudaStreamSynchronize(here.stream), "copy");
    }

    const operation what = describe_operation(algebra{}, operator_id::sum);
};

/// The sum replaces the first element.
TEST_F(Order, SumsOfOnesOwnResult)
{
    for (const std::int64_t count : {3, 700, 30'001, 1'000'001}) {
        SCOPED_TRACE(count);
        const std::vector<element> x = numbers(count);
        const device_memory in(x.size() * sizeof(element));
        const room<algebra> space(count, here);
        copy(in.as<>(), x.data(), x.size() * sizeof(element));
        element others = 0;
        for (std::size_t i = 1; i < x.size(); ++i) {
            others += x[i];
        }

        reduce_task task = space.reduce(in.as<>(), count);
        const conclusion then{.mail = {},
                              .head = {},
                              .received = space.record(),
                              .fold = {.records = space.record(),
                                       .stride = record_bytes(sizeof(element)),
                                       .record_count = 1,
                                       .ranks = 1,
                                       .total = in.as<>()}};
        task.then = &then;
        const std::uint64_t calls = repeat([&] { phases::reduce(what, task, here); });
        element got = 0;
        copy(&got, in.as<>(), sizeof got);

        EXPECT_EQ(got, x[0] + calls * others);
    }
}

/// After k scans in place element i is the sum of x[j] times the number of ways from j to i in k steps.
TEST_F(Order, ScansOfOnesOwnResult)
{
    for (const std::int64_t count :
         {3, 700, 30'001, reduced() ? 50'001 : 1'000'001}) { // the last fills an H200
        SCOPED_TRACE(count);
        std::vector<element> x = numbers(count);
        const device_memory in(x.size() * sizeof(element));
        const room<algebra> space(count, here);
        copy(in.as<>(), x.data(), x.size() * sizeof(element));

        const std::uint64_t calls =
            repeat([&] { phases::scan(what, space.scan(in.as<>(), in.as<>(), count), here); });
        for (std::uint64_t k = 0; k < calls; ++k) {
            for (std::size_t i = 1; i < x.size(); ++i) {
                x[i] += x[i - 1];
            }
        }
        std::vector<element> got(x.size());
        copy(got.data(), in.as<>(), got.size() * sizeof(element));

        EXPECT_TRUE(got == x);
    }
}

} // namespace
} // namespace rankfold::test
