// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A stream of another GPU than the rank's is a usage error on all ranks, and no kernel goes there.
#include "rankfold/cuda.hpp"
#include "rankfold/rankfold.hpp"
#include "support/backend_data.hpp"
#include "support/distributed.hpp"
#include "support/expect.hpp"

namespace rankfold::test {
namespace {

TEST(ForeignStream, OfOneRankIsAnErrorOnAll)
{
    communicator comm(MPI_COMM_WORLD, {.timeout_s = 20.0});
    int devices = 0;
    ASSERT_EQ(cudaGetDeviceCount(&devices), cudaSuccess);
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(comm.backend() != backend::cuda || devices < 2, "needs two GPUs in sight");
    const bool culprit = comm.rank() == comm.size() - 1;
    ASSERT_EQ(cudaSetDevice((comm.device() + (culprit ? 1 : 0)) % devices), cudaSuccess);
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    const array<float> data = to_backend(comm, std::vector<float>(100, 1.0F));
    array<float> total(comm, 1);
    reduce_plan<float> plan(comm, sum);

    EXPECT_TRUE(
        fails_with(errc::usage, {"stream belongs to device", "rank " + std::to_string(comm.size() - 1)}, [&] {
            plan.execute(data.data(), 100, total.data(), {.stream = stream});
            comm.wait(stream);
        }));

    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    ASSERT_EQ(cudaSetDevice(comm.device()), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

} // namespace
} // namespace rankfold::test
