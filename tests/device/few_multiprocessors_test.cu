// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls on a stream that has fewer multiprocessors than the GPU: the same bits, eager and captured.
#include "../gpu/green_stream.hpp"
#include "device_test.hpp"

#include "rankfold/device/stream_share.hpp"

#include "support/stream_graph.hpp"

namespace rankfold::test {
namespace {

TEST(FewMultiprocessors, GiveTheSameBitsAsTheWholeGpu)
{
    communicator comm(MPI_COMM_WORLD, {.timeout_s = 10.0});
    choose_gpu(comm);
    const user_stream whole;
    const green_stream part(16);
    constexpr std::int64_t most = 1 << 20;
    std::vector<float> noise(most);
    for (std::size_t i = 0; i < noise.size(); ++i) {
        noise[i] = static_cast<float>(i * 2654435761U % 1000003U) * (i % 3 == 0 ? 1e-4F : 1e3F);
    }
    const array<float> in = to_backend(comm, noise);
    array<float> out(comm, most);
    array<float> total(comm, 1);
    scan_plan<float> scan(comm, inclusive, sum, {.max_count = most});
    reduce_plan<float> reduce(comm, sum);
    const auto results = [&](cudaStream_t stream, std::int64_t count, bool in_graph) {
        const auto calls = [&] {
            scan.execute(in.data(), out.data(), count, on(stream));
            reduce.execute(in.data(), count, total.data(), on(stream));
        };
        if (in_graph) {
            const stream_graph graph(stream, calls);
            graph.launch();
            comm.wait(stream);
        } else {
            calls();
            comm.wait(stream);
        }
        std::vector<float> found = to_host(comm, out);
        found.resize(static_cast<std::size_t>(count));
        found.push_back(first_of(comm, total));
        return found;
    };

    for (const std::int64_t count : {std::int64_t{1000}, std::int64_t{100'000}, most}) {
        SCOPED_TRACE(count);
        const std::vector<float> right = results(whole, count, false);

        EXPECT_TRUE(same_elements(results(part.stream(), count, false), right));
        if (comm.transport() != transport::mpi && device::may_ask_captured_streams()) {
            EXPECT_TRUE(same_elements(results(part.stream(), count, true), right));
        }
    }
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

} // namespace
} // namespace rankfold::test
