// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Launches that CUDA refuses, errors that others have left, streams that have less than the GPU, and the
// switch that keeps launches from overlapping.
#include "forms.hpp"
#include "green_stream.hpp"
#include "planted_faults.hpp"

#include "rankfold/permitted.hpp"

#include <functional>
#include <optional>

namespace rankfold::test {
namespace {

using algebra = builtin_algebra<operator_id::sum, float, float>;
using phases = device::phases<algebra>;

__global__ void users_kernel() {}

/// Floats of all magnitudes whose sum depends on the order.
struct noise {
    __device__ float operator()(std::int64_t i) const
    {
        auto x = static_cast<std::uint32_t>(i) * 2654435761U;
        x ^= x >> 15;
        return static_cast<float>(static_cast<std::int32_t>(x)) * (x % 3 == 0 ? 1e-6F : 1.0F);
    }
};

class Launch : public gpu_test {
protected:
    void SetUp() override
    {
        gpu_test::SetUp();
        if (reduced()) {
            GTEST_SKIP() << "calls that CUDA refuses on purpose are findings of the sanitizers";
        }
        if (!IsSkipped()) {
            in.emplace(most * 4);
            out.emplace(most * 4);
            space.emplace(most, here);
            set(in->as<float>(), most, noise{});
            EXPECT_EQ(cudaStreamSynchronize(here.stream), cudaSuccess);
        }
    }

    float sum_of_ones()
    {
        set(in->as<float>(), 1000, constant<float>{1.0F});
        phases::reduce(what, space->reduce(in->as<>(), 1000), here);
        return fetch<float>(space->record()).value();
    }

    /// The bits of a scan that has an init, in a form, on a stream.
    std::vector<float> scanned(form by, std::int64_t count, const place& where)
    {
        scan_task task = space->scan(in->as<>(), out->as<>(), count);
        space->put_before(task, partial<float>(3.0F), here);
        clear(*out, static_cast<std::size_t>(count) * 4);
        EXPECT_EQ(cudaStreamSynchronize(here.stream), cudaSuccess);
        scan_by<algebra>(by, what, task, where);
        EXPECT_EQ(cudaStreamSynchronize(where.stream), cudaSuccess);
        std::vector<float> got(static_cast<std::size_t>(count));
        EXPECT_EQ(cudaMemcpy(got.data(), out->as<>(), got.size() * 4, cudaMemcpyDefault), cudaSuccess);
        return got;
    }

    static constexpr std::int64_t most = 1 << 20;
    const operation what = describe_operation(algebra{}, operator_id::sum);
    std::optional<device_memory> in;
    std::optional<device_memory> out;
    std::optional<room<algebra>> space;
};

TEST_F(Launch, LeavesTheErrorOfTheUsersOwnCallsToTheUser)
{
    users_kernel<<<1, 4096>>>(); // more threads than a block can have
    ASSERT_EQ(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);

    phases::reduce(what, space->reduce(in->as<>(), 1000), here);

    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
    EXPECT_EQ(sum_of_ones(), 1000.0F);
}

TEST_F(Launch, ThatIsRefusedIsAnErrorOfThatCallAlone)
{
    try {
        device::launch<idle_kernel>("idle_kernel", 0, {}, here); // no blocks
        ADD_FAILURE() << "a grid of no blocks was launched";
    } catch (const error& refused) {
        EXPECT_EQ(refused.code(), errc::backend);
        EXPECT_EQ(refused.native_code(), static_cast<int>(cudaErrorInvalidConfiguration));
        EXPECT_NE(refused.text().find("idle_kernel"), std::string::npos);
    }

    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(sum_of_ones(), 1000.0F);
}

TEST_F(Launch, SaysWhereAnErrorMayBeAnEarlierKernels)
{
    const planted_faults faults(cudaErrorIllegalAddress, planted_faults::step::launch);

    try {
        device::launch<idle_kernel>("idle_kernel", 1, {}, here);
        ADD_FAILURE() << "the launch was not refused";
    } catch (const error& refused) {
        EXPECT_NE(refused.text().find("idle_kernel (this or an earlier kernel)"), std::string::npos);
    }
}

TEST_F(Launch, OfAScanTakesAnotherFormWithTheSameBitsWhereACooperativeOneIsRefused)
{
    for (const form by : {form::registers, form::onchip, form::wide_onchip}) {
        for (const std::int64_t count : {1, 5000, 100'000, 600'000}) {
            SCOPED_TRACE(testing::Message()
                         << "form " << static_cast<int>(by) << ", " << count << " elements");
            if (count > parts_of<algebra>(by, here).most) {
                continue; // not in this form
            }
            const std::vector<float> right = scanned(by, count, here);
            const planted_faults faults(cudaErrorCooperativeLaunchTooLarge,
                                        planted_faults::step::cooperative_launch);

            const std::vector<float> got = scanned(by, count, here);

            EXPECT_GT(planted_faults::calls(), 0);
            EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
            EXPECT_EQ(std::memcmp(got.data(), right.data(), right.size() * 4), 0);
        }
    }
}

TEST_F(Launch, OfAScanFitsAStreamThatHasFewMultiprocessors)
{
    const green_stream part(16);
    ASSERT_LT(part.multiprocessors(), here.multiprocessors / 2);
    place green = here;
    green.stream = part.stream();
    for (const form by : {form::selected, form::registers, form::onchip, form::wide_onchip}) {
        for (const std::int64_t count : {1000, 100'000, 600'000, 1 << 20}) {
            SCOPED_TRACE(testing::Message()
                         << "form " << static_cast<int>(by) << ", " << count << " elements");
            if (count > parts_of<algebra>(by, here).most) {
                continue; // not in this form
            }
            const std::vector<float> right = scanned(by, count, here);

            const std::vector<float> got = scanned(by, count, green);

            EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
            EXPECT_EQ(std::memcmp(got.data(), right.data(), right.size() * 4), 0);
        }
    }
}

TEST_F(Launch, OfAScanIsCapturedOnAStreamThatHasFewMultiprocessors)
{
    const green_stream part(16);
    place green = here;
    green.stream = part.stream();
    for (const form by : {form::registers, form::onchip}) {
        const std::vector<float> right = scanned(by, 600'000, here);
        scan_task task = space->scan(in->as<>(), out->as<>(), 600'000);
        space->put_before(task, partial<float>(3.0F), here);
        clear(*out, std::size_t{600'000} * 4);
        ASSERT_EQ(cudaStreamSynchronize(here.stream), cudaSuccess);
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t replay = nullptr;

        ASSERT_EQ(cudaStreamBeginCapture(green.stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
        scan_by<algebra>(by, what, task, green);
        ASSERT_EQ(cudaStreamEndCapture(green.stream, &graph), cudaSuccess);
        ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
        ASSERT_EQ(cudaGraphLaunch(replay, green.stream), cudaSuccess);
        ASSERT_EQ(cudaStreamSynchronize(green.stream), cudaSuccess);

        std::vector<float> got(right.size());
        ASSERT_EQ(cudaMemcpy(got.data(), out->as<>(), got.size() * 4, cudaMemcpyDefault), cudaSuccess);
        EXPECT_EQ(std::memcmp(got.data(), right.data(), right.size() * 4), 0);
        cudaGraphExecDestroy(replay);
        cudaGraphDestroy(graph);
    }
}

/// Edges by which a kernel of a captured graph may start before the one ahead of it has ended.
std::size_t overlapping_edges(cudaStream_t stream, const std::function<void()>& calls)
{
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    calls();
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    std::size_t count = 0;
#if CUDART_VERSION >= 13000
    const auto edges_of = cudaGraphGetEdges;
#else
    const auto edges_of = cudaGraphGetEdges_v2;
#endif
    EXPECT_EQ(edges_of(graph, nullptr, nullptr, nullptr, &count), cudaSuccess);
    std::vector<cudaGraphNode_t> from(count);
    std::vector<cudaGraphNode_t> to(count);
    std::vector<cudaGraphEdgeData> edges(count);
    EXPECT_EQ(edges_of(graph, from.data(), to.data(), edges.data(), &count), cudaSuccess);
    EXPECT_GT(count, 0U);
    cudaGraphDestroy(graph);
    return static_cast<std::size_t>(std::count_if(edges.begin(), edges.end(), [](const auto& edge) {
        return edge.type == cudaGraphDependencyTypeProgrammatic;
    }));
}

TEST_F(Launch, OverlapsWithTheOneBeforeUnlessThePlaceForbidsIt)
{
    if (capability < simt::overlap_capability) {
        GTEST_SKIP() << "launches never overlap on this GPU";
    }
    const auto calls = [&](const place& where) {
        return overlapping_edges(here.stream, [&] {
            for (int i = 0; i < 3; ++i) {
                phases::reduce(what, space->reduce(in->as<>(), 1000), where);
                phases::scan(what, space->scan(in->as<>(), out->as<>(), 1000), where);
            }
        });
    };
    place apart = here;
    apart.overlap = false;

    EXPECT_EQ(calls(here), 5U);
    EXPECT_EQ(calls(apart), 0U);
}

} // namespace
} // namespace rankfold::test
