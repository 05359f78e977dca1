// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the user's own CUDA calls left behind is not taken for an error of a call, and stays for the user.
#include "device_test.hpp"

#include <optional>

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
        const cudaError_t left = cudaPeekAtLastError();
        EXPECT_EQ(left != cudaSuccess, culprit);

        three.execute(pieces, out.data(), on(stream));
        comm.wait(stream);
        std::vector<double> got(3);
        out.read(got);

        EXPECT_EQ(got, std::vector<double>(3, 1.0 * count * round * comm.size())) << "round " << round;
        EXPECT_EQ(cudaGetLastError(), left);
    }
}

TEST(UsersErrors, StayWhenACommunicatorIsMadeAndPlansEnd)
{
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(world_size() > 1, "MPI and NCCL make CUDA calls of their own");
    std::optional<communicator> first(std::in_place, MPI_COMM_WORLD);
    choose_gpu(*first);
    std::optional<scan_plan<float>> plan(std::in_place, *first, inclusive, sum,
                                         scan_plan_options<float>{.max_count = 100'000});
    users_kernel<<<1, 4096>>>();
    const cudaError_t left = cudaPeekAtLastError();
    ASSERT_NE(left, cudaSuccess);
    {
        const communicator comm(MPI_COMM_WORLD);
        EXPECT_EQ(cudaPeekAtLastError(), left) << "a communicator was made";
        const array<float> memory(comm, 100);
        EXPECT_EQ(cudaPeekAtLastError(), left) << "an array was made";
    }
    EXPECT_EQ(cudaPeekAtLastError(), left) << "they were destroyed";
    plan.reset();
    EXPECT_EQ(cudaPeekAtLastError(), left) << "a plan was destroyed";
    first.reset();
    EXPECT_EQ(cudaGetLastError(), left) << "all was destroyed";
}

} // namespace
} // namespace rankfold::test
