// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the user's own CUDA calls left behind is not taken for an error of a call, and stays for the user.
#include "device_test.hpp"

namespace rankfold::test {
namespace {

__global__ void users_kernel() {}

TEST(UsersErrors, AreNotTakenForThoseOfACallOnOneRank)
{
    communicator comm(MPI_COMM_WORLD, {.timeout_s = 8.0});
    choose_gpu(comm);
    const user_stream stream;
    constexpr int count = 1000;
    array<double> in(comm, count);
    array<double> out(comm, 3);
    reduce_plan<double> three(comm, sum, {.results = 3});
    const std::span<const double> piece(in.data(), count);
    const std::span<const double> pieces[] = {piece, piece, piece};
    for (int round = 1; round <= 6; ++round) {
        in.assign(std::vector<double>(count, round));
        const bool culprit = comm.rank() == comm.size() - 1 && round == 3;
        if (culprit) {
            users_kernel<<<1, 4096>>>(); // more threads than a block can have; the user does not look
        }

        three.execute(pieces, out.data(), on(stream));
        comm.wait(stream);
        std::vector<double> got(3);
        out.read(got);

        EXPECT_EQ(got, std::vector<double>(3, 1.0 * count * round * comm.size())) << "round " << round;
        EXPECT_EQ(cudaGetLastError(), culprit ? cudaErrorInvalidConfiguration : cudaSuccess);
    }
}

TEST(UsersErrors, StayWhenACommunicatorAndItsPlansAreMadeAndEnd)
{
    {
        const communicator first(MPI_COMM_WORLD); // so that the rank's GPU is known
        choose_gpu(first);
    }
    users_kernel<<<1, 4096>>>();
    {
        const communicator comm(MPI_COMM_WORLD);
        const array<float> memory(comm, 100);
        const scan_plan<float> plan(comm, inclusive, sum, {.max_count = 100'000});
        const std::vector<float> one{1.0F};
        EXPECT_EQ(all_reduce<float>(comm, sum, std::span(one)), static_cast<float>(comm.size()));
    }

    if (world_size() == 1) { // MPI and NCCL make CUDA calls of their own
        EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
    }
}

} // namespace
} // namespace rankfold::test
