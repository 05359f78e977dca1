// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Launches on a stream that has fewer multiprocessors than the GPU, eager and captured: the same bits.
#include "green_stream.hpp"
#include "noisy_sums.hpp"

namespace rankfold::test {
namespace {

using FewMultiprocessors = noisy_sums;

TEST_F(FewMultiprocessors, AreEnoughForAScanInAnyForm)
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

TEST_F(FewMultiprocessors, AreEnoughForAScanThatIsCaptured)
{
    if (!device::may_ask_captured_streams()) {
        GTEST_SKIP() << "this driver does not tell what a captured stream has";
    }
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

} // namespace
} // namespace rankfold::test
