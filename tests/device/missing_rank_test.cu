// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A rank that does not come is named in time, though a stream of the user's that the legacy stream waits for
// holds a kernel that does not end: as a collective of another library would, which waits for the same rank.
#include "device_test.hpp"

namespace rankfold::test {
namespace {

TEST(MissingRank, IsNamedInTimeBesideAKernelThatHoldsABlockingStream)
{
    communicator comm(MPI_COMM_WORLD, {.warn_s = 1.0, .timeout_s = 3.0});
    choose_gpu(comm);
    const user_stream stream;
    const user_stream blocking(cudaStreamDefault);
    int* stop = nullptr;
    ASSERT_EQ(cudaMallocHost(&stop, sizeof *stop), cudaSuccess);
    *stop = 0;
    array<double> in(comm, 1000);
    array<double> out(comm, 1);
    reduce_plan<double> plan(comm, sum);

    if (comm.rank() == 0) { // the other ranks never call
        blocking.hold(25, stop);
        const stopwatch time;
        EXPECT_TRUE(fails_with(errc::timeout, {"rank 1", "'alone'"}, [&] {
            plan.execute(in.data(), 1000, out.data(), on(stream, "alone"));
            comm.wait(stream);
        }));
        EXPECT_LT(time.seconds(), 3.0 + 2.0);
        *static_cast<volatile int*>(stop) = 1;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaFreeHost(stop), cudaSuccess);
}

} // namespace
} // namespace rankfold::test
