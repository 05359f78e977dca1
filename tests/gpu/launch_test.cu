// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Launches that CUDA refuses, errors that others have left, and the switch that keeps launches from
// overlapping.
#include "noisy_sums.hpp"
#include "planted_faults.hpp"

#include <functional>

namespace rankfold::test {
namespace {

using Launch = noisy_sums;

__global__ void users_kernel() {}

TEST_F(Launch, LeavesTheErrorOfTheUsersOwnCallsToTheUser)
{
    users_kernel<<<1, 4096>>>(); // more threads than a block can have
    const cudaError_t left = cudaPeekAtLastError();
    ASSERT_NE(left, cudaSuccess);

    phases::reduce(what, space->reduce(in->as<>(), 1000), here);

    EXPECT_EQ(cudaGetLastError(), left);
    EXPECT_EQ(sum_of_ones(), 1000.0F);
}

TEST_F(Launch, ThatIsRefusedIsAnErrorOfThatCallAlone)
{
    try {
        device::launch<idle_kernel>("idle_kernel", 0, {}, here); // no blocks
        ADD_FAILURE() << "a grid of no blocks was launched";
    } catch (const error& refused) {
        EXPECT_EQ(refused.code(), errc::backend);
        EXPECT_NE(refused.native_code(), static_cast<int>(cudaSuccess));
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
