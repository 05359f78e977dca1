// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The same bits every time: on a used workspace, in a replayed graph, on one block, beside a kernel that
// holds all SMs but one (BC-56).
#include "device.hpp"

#include "rankfold/permitted.hpp"

#include <chrono>
#include <thread>

namespace rankfold::test {
namespace {

using algebra = builtin_algebra<operator_id::sum, float, float>;
using phases = device::phases<algebra>;
constexpr const auto& forms = all_forms;

/// Floats of all magnitudes whose sum depends on the order.
struct noise {
    __device__ float operator()(std::int64_t i) const
    {
        auto x = static_cast<std::uint32_t>(i) * 2654435761U;
        x ^= x >> 15;
        x *= 2246822519U;
        return static_cast<float>(static_cast<std::int32_t>(x)) * (x % 3 == 0 ? 1e-6F : 1.0F);
    }
};

class Repeat : public gpu_test {
protected:
    void SetUp() override
    {
        gpu_test::SetUp();
        if (!IsSkipped()) {
            count = reduced() ? 30'001 : 1'500'001;
            const std::size_t space = phases::workspace_bytes(count, here);
            in = std::make_unique<device_memory>(count * 4);
            out = std::make_unique<device_memory>(count * 4);
            right = std::make_unique<device_memory>(count * 4);
            records = std::make_unique<device_memory>(256);
            workspace = std::make_unique<device_memory>(space);
            clear(*workspace, space);
            clear(*records, 256);
            set(in->as<float>(), count, noise{});
        }
    }

    [[nodiscard]] bool can(form by) const { return by != form::bulk || here.capability >= 90; }

    void scan(form by, void* to, std::int64_t elements)
    {
        scan_task task{};
        task.input = in->as<>();
        task.output = to;
        task.count = elements;
        task.inclusive = true;
        task.record = records->as<>();
        task.carry = records->as<>(128);
        task.workspace = workspace->as<>();
        scan_by<algebra>(by, what, task, here);
    }
    void reduce(std::byte* record)
    {
        phases::reduce(what, {in->as<>(), count, record, workspace->as<>()}, here);
    }
    /// Bits that differ from the first scan's.
    unsigned long long different()
    {
        return wrong(out->as<std::uint32_t>(), count, element_of<std::uint32_t>{right->as<std::uint32_t>()});
    }

    const operation what = describe_operation(algebra{}, operator_id::sum);
    std::int64_t count = 0;
    std::unique_ptr<device_memory> in;
    std::unique_ptr<device_memory> out;
    std::unique_ptr<device_memory> right;
    std::unique_ptr<device_memory> records;
    std::unique_ptr<device_memory> workspace;
};

TEST_F(Repeat, ScansToTheSameBitsOnAUsedWorkspace)
{
    for (const form by : forms) {
        if (!can(by)) {
            continue;
        }
        scan(by, right->as<>(), count);
        for (int i = 0; i < repeats(1000); ++i) {       // back to back, and compared in stream order
            scan(by, out->as<>(), count / (2 + i % 5)); // leaves words of another length behind
            scan(by, out->as<>(), count);
            count_wrong(out->as<std::uint32_t>(), count,
                        element_of<std::uint32_t>{right->as<std::uint32_t>()});
        }
        EXPECT_EQ(take_wrong(), 0U) << "form " << static_cast<int>(by);
    }
}

TEST_F(Repeat, ReducesToTheSameBits)
{
    reduce(records->as<>());
    const float first = fetch<float>(records->as<>()).value();
    for (int i = 0; i < repeats(1000); ++i) {
        here.max_resident_blocks = i % 7;
        reduce(records->as<>());
        ASSERT_EQ(fetch<float>(records->as<>()).value(), first) << i;
    }
}

TEST_F(Repeat, ScansToTheSameBitsOnFewBlocks)
{
    for (const form by : forms) {
        scan(by, right->as<>(), can(by) ? count : 0);
        for (const int limit : {1, 2, 7}) {
            here.max_resident_blocks = limit;
            if (can(by)) {
                scan(by, out->as<>(), count);
                EXPECT_EQ(different(), 0U) << "form " << static_cast<int>(by) << ", blocks " << limit;
            }
        }
        here.max_resident_blocks = 0;
    }
}

TEST_F(Repeat, ReplaysAGraph)
{
    for (const form by : forms) {
        if (!can(by)) {
            continue;
        }
        scan(by, right->as<>(), count);
        reduce(records->as<>());
        const float first = fetch<float>(records->as<>()).value();
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t replay = nullptr;
        ASSERT_EQ(cudaStreamBeginCapture(here.stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
        scan(by, out->as<>(), count);
        reduce(records->as<>());
        ASSERT_EQ(cudaStreamEndCapture(here.stream, &graph), cudaSuccess);
        ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);

        for (int i = 0; i < repeats(1000); ++i) {
            ASSERT_EQ(cudaGraphLaunch(replay, here.stream), cudaSuccess);
            if (i % 50 == 0) {
                ASSERT_EQ(different(), 0U) << "form " << static_cast<int>(by) << ", replay " << i;
                cudaMemsetAsync(out->as<>(), 0x77, count * 4, here.stream);
            }
        }
        ASSERT_EQ(cudaGraphLaunch(replay, here.stream), cudaSuccess);
        EXPECT_EQ(different(), 0U);
        EXPECT_EQ(fetch<float>(records->as<>()).value(), first);
        cudaGraphExecDestroy(replay);
        cudaGraphDestroy(graph);
    }
}

/// Holds an SM until `stop`, or for two seconds.
__global__ void hold_kernel(volatile int* arrived, const volatile int* stop)
{
    if (threadIdx.x == 0) {
        atomicAdd_system(const_cast<int*>(arrived), 1);
        std::uint64_t now = 0;
        std::uint64_t start = 0;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
        do {
            asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        } while (*stop == 0 && now - start < 2'000'000'000);
    }
}

TEST_F(Repeat, FinishesOnTheOneFreeMultiprocessor)
{
    if (reduced()) {
        GTEST_SKIP() << "under a sanitizer kernels run one after another";
    }
    int bytes = 0;
    cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    ASSERT_EQ(cudaFuncSetAttribute(hold_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
              cudaSuccess);
    here.max_resident_blocks =
        2 * here.multiprocessors; // by ticket: a cooperative launch would wait for room
    int* words = nullptr;
    ASSERT_EQ(cudaMallocHost(&words, 2 * sizeof(int)), cudaSuccess);
    cudaStream_t other = nullptr;
    ASSERT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
    for (const form by : forms) {
        if (!can(by)) {
            continue;
        }
        scan(by, right->as<>(), count);
        scan(by, out->as<>(), count);
        ASSERT_EQ(different(), 0U); // and every kernel is loaded
        volatile int* arrived = words;
        volatile int* stop = words + 1;
        *arrived = 0;
        *stop = 0;
        const int held = here.multiprocessors - 1;
        hold_kernel<<<held, 32, bytes, other>>>(arrived, stop);
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
        while (*arrived < held && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::yield();
        }

        scan(by, out->as<>(), count);
        const auto found = different();
        const bool beside = cudaStreamQuery(other) == cudaErrorNotReady;
        *stop = 1;
        EXPECT_EQ(cudaStreamSynchronize(other), cudaSuccess);

        EXPECT_EQ(found, 0U) << "form " << static_cast<int>(by);
        EXPECT_TRUE(beside) << "form " << static_cast<int>(by) << " waited for the other kernel to end";
    }
    cudaStreamDestroy(other);
    cudaFreeHost(words);
}

TEST_F(Repeat, WritesNothingAfterAFailure)
{
    const device_memory failure(sizeof(failure_word));
    const failure_word failed{.code = 3, .call = 1};
    cudaMemcpyAsync(failure.as<>(), &failed, sizeof failed, cudaMemcpyDefault, here.stream);
    set(out->as<std::uint32_t>(), count, constant<std::uint32_t>{0x77777777});
    here.failure.word = failure.as<failure_word>();
    for (const form by : forms) {
        if (can(by)) {
            scan(by, out->as<>(), count);
            EXPECT_EQ(wrong(out->as<std::uint32_t>(), count, constant<std::uint32_t>{0x77777777}), 0U)
                << "form " << static_cast<int>(by);
        }
    }
}

} // namespace
} // namespace rankfold::test
