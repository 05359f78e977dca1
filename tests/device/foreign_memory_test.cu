// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of another GPU: refused by name where this one could access it and may not, right where it may.
// Memory of other kinds that the GPU can access is accepted.
#include "device_test.hpp"

namespace rankfold::test {
namespace {

class ForeignMemory : public testing::Test {
protected:
    void SetUp() override
    {
        choose_gpu(comm_);
        ASSERT_EQ(cudaGetDeviceCount(&devices_), cudaSuccess);
    }
    [[nodiscard]] double total_of(const double* memory)
    {
        plan_.execute(memory, count, out_.data(), on(stream_));
        comm_.wait(stream_);
        return first_of(comm_, out_);
    }

    static constexpr std::int64_t count = 1000;
    communicator comm_{MPI_COMM_WORLD, {.timeout_s = 10.0}};
    user_stream stream_;
    array<double> out_{comm_, 1};
    reduce_plan<double> plan_{comm_, sum};
    int devices_ = 0;
};

TEST_F(ForeignMemory, OfAnotherGpuIsRefusedUntilPeerAccessIsEnabled)
{
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(devices_ < 2, "needs two GPUs in sight");
    const int other = (comm_.device() + 1) % devices_;
    int possible = 0;
    ASSERT_EQ(cudaDeviceCanAccessPeer(&possible, comm_.device(), other), cudaSuccess);
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(possible == 0,
                                   "needs two GPUs of which one can access the other's memory");
    double* far = nullptr;
    ASSERT_EQ(cudaSetDevice(other), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&far, count * sizeof(double)), cudaSuccess);
    ASSERT_EQ(cudaMemset(far, 0, count * sizeof(double)), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    ASSERT_EQ(cudaSetDevice(comm_.device()), cudaSuccess);
    cudaPointerAttributes seen{};
    ASSERT_EQ(cudaPointerGetAttributes(&seen, far), cudaSuccess);
    const bool hidden = seen.devicePointer == nullptr; // NCCL may have enabled the access
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(!hidden, "peer access is enabled already");

    EXPECT_TRUE(fails_with(errc::usage, {"in is memory of device " + std::to_string(other), "cannot access"},
                           [&] { (void)total_of(far); }));
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);

    if (comm_.size() == 1) { // queued errors of several ranks end a communicator
        ASSERT_EQ(cudaDeviceEnablePeerAccess(other, 0), cudaSuccess);
        EXPECT_EQ(total_of(far), 0.0);
        EXPECT_EQ(cudaDeviceDisablePeerAccess(other), cudaSuccess);
    }
    EXPECT_EQ(cudaFree(far), cudaSuccess);
}

TEST_F(ForeignMemory, ThatTheGpuCanAccessIsAccepted)
{
    double* pinned = nullptr;
    double* managed = nullptr;
    ASSERT_EQ(cudaMallocHost(&pinned, count * sizeof(double)), cudaSuccess);
    ASSERT_EQ(cudaMallocManaged(&managed, count * sizeof(double)), cudaSuccess);
    std::vector<double> registered(count, 3.0);
    ASSERT_EQ(cudaHostRegister(registered.data(), count * sizeof(double), cudaHostRegisterDefault),
              cudaSuccess);
    std::fill_n(pinned, count, 1.0);
    std::fill_n(managed, count, 2.0);

    EXPECT_EQ(total_of(pinned), 1.0 * count * comm_.size());
    EXPECT_EQ(total_of(managed), 2.0 * count * comm_.size());
    EXPECT_EQ(total_of(registered.data()), 3.0 * count * comm_.size());

    EXPECT_EQ(cudaHostUnregister(registered.data()), cudaSuccess);
    EXPECT_EQ(cudaFree(managed), cudaSuccess);
    EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

} // namespace
} // namespace rankfold::test
