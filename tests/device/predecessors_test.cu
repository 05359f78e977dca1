// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What may stand before a call on its stream. Each round queues a short reduction of something else, whose
// kernel lets the next one start, then a slow writer of `x` in some form, then a call on `x`, which has to
// see the new value; or a slow reader of what the call overwrites. Eager, and captured.
#include "device_test.hpp"

#include "support/stream_graph.hpp"

#include <functional>
#include <string>

namespace rankfold::test {
namespace {

using element = std::uint32_t;
constexpr std::int64_t most = 20 << 20; // 80 MiB: the bulk form of a scan
constexpr std::uint64_t slow_ns = 200'000;

/// What a kernel of the user's does about programmatic launches, at its start.
struct manners {
    bool waits = false;
    bool triggers = false;
};

__device__ void start(manners how)
{
#if __CUDA_ARCH__ >= 900
    if (how.waits) {
        asm volatile("griddepcontrol.wait;" ::: "memory");
    }
    if (how.triggers) {
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    }
#endif
}

__global__ void write_kernel(element* x, std::int64_t n, element value, std::uint64_t ns, manners how)
{
    start(how);
    spin(ns);
    for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < n;
         i += std::int64_t{gridDim.x} * blockDim.x) {
        x[i] = value;
    }
}
__global__ void read_late_kernel(const element* x, element* seen, std::uint64_t ns, manners how)
{
    start(how);
    spin(ns);
    *seen = *reinterpret_cast<const volatile element*>(x);
}

enum class launched { plainly, cooperatively, programmatically };

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), int blocks, cudaStream_t stream, launched how,
            Arguments... arguments)
{
    cudaLaunchAttribute attribute{};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(blocks == 1 ? 1 : 256);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = how == launched::plainly ? 0 : 1;
    if (how == launched::cooperatively) {
        attribute.id = cudaLaunchAttributeCooperative;
        attribute.val.cooperative = 1;
    } else {
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
    }
    EXPECT_EQ(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), cudaSuccess);
}

class Predecessors : public testing::Test {
protected:
    struct call {
        const char* name;
        std::int64_t count;
        bool scans;
    };
    static constexpr call calls[] = {{"reduce 1000", 1000, false},  {"reduce 1 Mi", 1 << 20, false},
                                     {"reduce 20 Mi", most, false}, {"scan 1000", 1000, true},
                                     {"scan 1 Mi", 1 << 20, true},  {"scan 20 Mi", most, true}};

    void SetUp() override
    {
        choose_gpu(comm_);
        ASSERT_EQ(cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming), cudaSuccess);
        ASSERT_EQ(cudaEventCreateWithFlags(&join_, cudaEventDisableTiming), cudaSuccess);
    }
    void TearDown() override
    {
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        cudaEventDestroy(fork_);
        cudaEventDestroy(join_);
    }

    /// Leaves count * value in the result, if all of x has the value.
    void make(const call& what, cudaStream_t stream)
    {
        if (!what.scans) {
            return sum_.execute(x_.data(), what.count, result_.data(), on(stream));
        }
        scan_.execute(x_.data(), y_.data(), what.count, on(stream));
        EXPECT_EQ(cudaMemcpyAsync(result_.data(), y_.data() + what.count - 1, sizeof(element),
                                  cudaMemcpyDeviceToDevice, stream),
                  cudaSuccess);
    }
    void make_another(cudaStream_t stream)
    {
        sum_.execute(other_.data(), 1000, elsewhere_.data(), on(stream));
    }
    void write(cudaStream_t stream, std::int64_t count, element value, launched how, manners with = {},
               element* to = nullptr)
    {
        launch(write_kernel, 64, stream, how, to ? to : x_.data(), count, value, slow_ns, with);
    }

    using writer = std::function<void(cudaStream_t, std::int64_t, element)>;
    /// Every call behind the writer, which leaves `value_of(round)`, eager and captured where that can be.
    void expect_seen(const writer& before, const std::function<element(int)>& value_of,
                     bool capturable = true)
    {
        for (const call& what : calls) {
            const int rounds = what.count > 1 << 20 ? 10 : rounds_;
            const auto round = [&](int i) {
                make_another(stream_);
                before(stream_, what.count, value_of(i));
                make(what, stream_);
                EXPECT_EQ(cudaMemcpyAsync(got_.data() + i, result_.data(), sizeof(element),
                                          cudaMemcpyDeviceToDevice, stream_),
                          cudaSuccess);
            };
            for (const bool captured : {false, true}) {
                if (captured && !capturable) {
                    continue;
                }
                const auto all = [&] {
                    for (int i = 0; i < rounds; ++i) {
                        round(i);
                    }
                };
                EXPECT_EQ(cudaMemsetAsync(x_.data(), 0, what.count * sizeof(element), stream_), cudaSuccess);
                if (captured) {
                    stream_graph(stream_, all).launch();
                } else {
                    all();
                }
                comm_.wait(stream_);
                const std::vector<element> got = to_host(comm_, got_);
                int wrong = 0;
                for (int i = 0; i < rounds; ++i) {
                    wrong +=
                        got[static_cast<std::size_t>(i)] != value_of(i) * static_cast<element>(what.count);
                }
                EXPECT_EQ(wrong, 0) << what.name << (captured ? ", captured" : "") << ", of " << rounds;
            }
        }
    }
    static element numbered(int i) { return static_cast<element>(i) * 7 + 3; }

    static constexpr int rounds_ = 60;
    communicator comm_{MPI_COMM_WORLD};
    user_stream stream_;
    user_stream side_;
    cudaEvent_t fork_ = nullptr;
    cudaEvent_t join_ = nullptr;
    array<element> x_{comm_, most};
    array<element> other_{comm_, most};
    array<element> y_{comm_, most};
    array<element> result_{comm_, 1};
    array<element> elsewhere_{comm_, 1};
    array<element> got_{comm_, rounds_};
    reduce_plan<element> sum_{comm_, sum};
    scan_plan<element> scan_{comm_, inclusive, sum, {.max_count = most}};
};

TEST_F(Predecessors, ThatAreKernelsHaveEnded)
{
    expect_seen([&](cudaStream_t s, std::int64_t n, element v) { write(s, n, v, launched::plainly); },
                numbered);
}

TEST_F(Predecessors, ThatAreCooperativeKernelsHaveEnded)
{
    expect_seen([&](cudaStream_t s, std::int64_t n, element v) { write(s, n, v, launched::cooperatively); },
                numbered);
}

TEST_F(Predecessors, ThatLetTheNextStartBeforeTheyWriteHaveEnded)
{
    expect_seen([&](cudaStream_t s, std::int64_t n,
                    element v) { write(s, n, v, launched::plainly, {.triggers = true}); },
                numbered);
}

TEST_F(Predecessors, ThatAreProgrammaticLaunchesWhichWaitHaveEnded)
{
    expect_seen(
        [&](cudaStream_t s, std::int64_t n, element v) {
            write(s, n, v, launched::programmatically, {.waits = true, .triggers = true});
        },
        numbered);
}

TEST_F(Predecessors, OnAnotherStreamBehindAnEventHaveEnded)
{
    expect_seen(
        [&](cudaStream_t s, std::int64_t n, element v) {
            EXPECT_EQ(cudaEventRecord(fork_, s), cudaSuccess);
            EXPECT_EQ(cudaStreamWaitEvent(side_, fork_), cudaSuccess);
            write(side_, n, v, launched::plainly, {.triggers = true});
            EXPECT_EQ(cudaEventRecord(join_, side_), cudaSuccess);
            launch(write_kernel, 1, s, launched::plainly, other_.data(), 1, element{0}, std::uint64_t{0},
                   manners{.triggers = true}); // the one before the call on its own stream
            EXPECT_EQ(cudaStreamWaitEvent(s, join_), cudaSuccess);
        },
        numbered);
}

TEST_F(Predecessors, ThatAreCopiesHaveEnded)
{
    expect_seen(
        [&](cudaStream_t s, std::int64_t n, element v) {
            write(s, n, v, launched::plainly, {}, other_.data());
            EXPECT_EQ(
                cudaMemcpyAsync(x_.data(), other_.data(), n * sizeof(element), cudaMemcpyDeviceToDevice, s),
                cudaSuccess);
        },
        numbered);
}

TEST_F(Predecessors, ThatSetBytesHaveEnded)
{
    const auto byte = [](int i) { return static_cast<element>(i % 100 + 1); };
    expect_seen(
        [&](cudaStream_t s, std::int64_t n, element v) {
            EXPECT_EQ(cudaMemsetAsync(x_.data(), static_cast<int>(v & 0xff), n * sizeof(element), s),
                      cudaSuccess);
        },
        [&](int i) { return byte(i) * 0x01010101U; });
}

TEST_F(Predecessors, ThatAreGraphsHaveEnded)
{
    expect_seen(
        [&](cudaStream_t s, std::int64_t n, element v) {
            const stream_graph graph(side_,
                                     [&] { write(side_, n, v, launched::plainly, {.triggers = true}); });
            graph.launch(s);
        },
        numbered, false);
}

TEST_F(Predecessors, ThatReadTheResultHaveReadIt)
{
    for (const bool programmatic : {false, true}) {
        for (int i = 0; i < rounds_; ++i) {
            launch(write_kernel, 1, stream_, launched::plainly, result_.data(), 1, numbered(i),
                   std::uint64_t{0}, manners{});
            launch(read_late_kernel, 1, stream_,
                   programmatic ? launched::programmatically : launched::plainly,
                   static_cast<const element*>(result_.data()), got_.data() + i, slow_ns,
                   programmatic ? manners{.waits = true, .triggers = true} : manners{});
            sum_.execute(x_.data(), 1000, result_.data(), on(stream_));
        }
        comm_.wait(stream_);
        const std::vector<element> got = to_host(comm_, got_);
        for (int i = 0; i < rounds_; ++i) {
            EXPECT_EQ(got[static_cast<std::size_t>(i)], numbered(i))
                << i << (programmatic ? ", programmatic" : "");
        }
    }
}

TEST_F(Predecessors, ThatAreHostFunctionsHaveEnded)
{
    struct job {
        element* to;
        element value;
    };
    element* pinned = nullptr;
    ASSERT_EQ(cudaMallocHost(&pinned, 1000 * sizeof(element)), cudaSuccess);
    for (int i = 0; i < rounds_; ++i) {
        job now{pinned, numbered(i)};
        const auto slow = [](void* todo) {
            const stopwatch time;
            while (time.seconds() < 300e-6) {
            }
            const job& it = *static_cast<job*>(todo);
            std::fill_n(it.to, 1000, it.value);
        };
        EXPECT_EQ(cudaLaunchHostFunc(stream_, slow, &now), cudaSuccess);
        sum_.execute(pinned, 1000, result_.data(), on(stream_));
        comm_.wait(stream_);
        EXPECT_EQ(first_of(comm_, result_), numbered(i) * 1000);
    }
    EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST_F(Predecessors, OnABlockingStreamHaveEndedForTheLegacyStream)
{
    const user_stream blocking(cudaStreamDefault);
    for (int i = 0; i < rounds_; ++i) {
        make_another(nullptr);
        write(blocking, 1000, numbered(i), launched::plainly, {.triggers = true});
        sum_.execute(x_.data(), 1000, result_.data(), on(nullptr));
        EXPECT_EQ(cudaMemcpyAsync(got_.data() + i, result_.data(), sizeof(element), cudaMemcpyDeviceToDevice,
                                  nullptr),
                  cudaSuccess);
    }
    const std::vector<element> got = to_host(comm_, got_);
    for (int i = 0; i < rounds_; ++i) {
        EXPECT_EQ(got[static_cast<std::size_t>(i)], numbered(i) * 1000) << i;
    }
}

/// A kernel of the user's that is launched programmatically and never waits may end before the one ahead of
/// it. With overlap off the call waits for both.
TEST_F(Predecessors, ThatDoNotWaitForTheirOwnHaveEndedWhereOverlapIsOff)
{
    const communicator apart(MPI_COMM_WORLD, {.overlap = false});
    reduce_plan<element> total(apart, sum);
    for (const bool triggers : {false, true}) {
        for (int i = 0; i < rounds_; ++i) {
            total.execute(other_.data(), 1000, elsewhere_.data(), on(stream_));
            write(stream_, 1000, numbered(i), launched::plainly, {.triggers = true});
            launch(write_kernel, 1, stream_, launched::programmatically, other_.data(), 1, element{0},
                   std::uint64_t{0}, manners{.triggers = triggers});
            total.execute(x_.data(), 1000, got_.data() + i, on(stream_));
        }
        comm_.wait(stream_);
        const std::vector<element> got = to_host(comm_, got_);
        for (int i = 0; i < rounds_; ++i) {
            EXPECT_EQ(got[static_cast<std::size_t>(i)], numbered(i) * 1000)
                << i << (triggers ? ", triggers" : "");
        }
    }
}

} // namespace
} // namespace rankfold::test
