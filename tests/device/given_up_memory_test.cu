// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plans and arrays that are destroyed while a call that works on them is queued.
#include "../gpu/planted_faults.hpp"
#include "device_test.hpp"

#include <algorithm>
#include <memory>
#include <optional>

namespace rankfold::test {
namespace {

class GivenUpMemory : public testing::Test {
protected:
    void SetUp() override { choose_gpu(comm_); }

    /// Arrays of many sizes, on memory that was given up just now if that were free.
    [[nodiscard]] std::vector<array<std::uint8_t>> others() const
    {
        std::vector<array<std::uint8_t>> made;
        for (int i = 0; i < 64; ++i) {
            made.emplace_back(comm_, std::int64_t{1} << (12 + i % 12));
        }
        return made;
    }
    /// Bytes that somebody else has written; arrays are zeroed.
    static std::int64_t written(const std::vector<array<std::uint8_t>>& arrays)
    {
        std::int64_t count = 0;
        for (const auto& some : arrays) {
            std::vector<std::uint8_t> bytes(static_cast<std::size_t>(some.size()));
            some.read(bytes);
            count += std::count_if(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte != 0; });
        }
        return count;
    }

    static constexpr std::int64_t count_ = 3 << 20;
    communicator comm_{MPI_COMM_WORLD, {.timeout_s = 20.0}};
    user_stream stream_;
};

TEST_F(GivenUpMemory, OfAPlanIsNotHandedOnBeforeItsCallHasEnded)
{
    const array<double> in = to_backend(comm_, std::vector<double>(count_, 1.0));
    array<double> sums(comm_, count_);
    array<double> out(comm_, 1);
    const reduce_plan<double> loaded(comm_, sum);

    std::optional<reduce_plan<double>> total(std::in_place, comm_, sum);
    std::optional<scan_plan<double>> scan(std::in_place, comm_, inclusive, sum,
                                          scan_plan_options<double>{.max_count = count_});
    stream_.hold(0.5);
    total->execute(in.data(), count_, out.data(), on(stream_));
    scan->execute(in.data(), sums.data(), count_, on(stream_));
    total.reset();
    scan.reset();
    const auto made = others();
    EXPECT_EQ(cudaStreamQuery(stream_), queues(comm_) || comm_.size() == 1 ? cudaErrorNotReady : cudaSuccess);
    comm_.wait(stream_);

    EXPECT_EQ(written(made), 0);
    EXPECT_EQ(first_of(comm_, out), static_cast<double>(count_ * comm_.size()));
    EXPECT_EQ(to_host(comm_, sums).back(), static_cast<double>(count_ * (comm_.rank() + 1)));
}

TEST_F(GivenUpMemory, OfAnArrayIsNotHandedOnBeforeTheCallThatReadsItHasEnded)
{
    auto in = std::make_unique<array<double>>(comm_, std::vector<double>(count_, 1.0));
    array<double> out(comm_, 1);
    reduce_plan<double> total(comm_, sum);

    stream_.hold(0.5);
    total.execute(in->data(), count_, out.data(), on(stream_));
    in.reset();
    const array<double> next(comm_, std::vector<double>(count_, 7.0));
    comm_.wait(stream_);

    EXPECT_EQ(first_of(comm_, out), static_cast<double>(count_ * comm_.size()));
}

TEST_F(GivenUpMemory, OutlivesTheStreamThatTheCallWasQueuedOn)
{
    auto users = std::make_unique<user_stream>();
    const array<double> in = to_backend(comm_, std::vector<double>(count_, 1.0));
    array<double> out(comm_, 1);
    std::optional<reduce_plan<double>> total(std::in_place, comm_, sum);

    users->hold(0.3);
    total->execute(in.data(), count_, out.data(), on(*users));
    users.reset();
    total.reset();
    const auto made = others();
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);

    EXPECT_EQ(written(made), 0);
    EXPECT_EQ(first_of(comm_, out), static_cast<double>(count_ * comm_.size()));
}

/// More than the GPU has, one after another: after wait(), or when memory is short.
TEST_F(GivenUpMemory, IsFreedInTheEnd)
{
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(comm_.size() > 1, "it takes all of a GPU's memory");
    std::size_t free_bytes = 0;
    std::size_t all_bytes = 0;
    ASSERT_EQ(cudaMemGetInfo(&free_bytes, &all_bytes), cudaSuccess);
    const auto large = static_cast<std::int64_t>(all_bytes / 16 / sizeof(float));
    array<float> out(comm_, 1);
    reduce_plan<float> total(comm_, sum);
    for (const bool waits : {true, false}) {
        for (int round = 0; round < 40; ++round) {
            const array<float> in(comm_, large);
            total.execute(in.data(), 1000, out.data(), on(stream_));
            if (waits) {
                comm_.wait(stream_);
            } else {
                ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess); // which nobody tells the library
            }
        }
    }
}

/// As on some virtual GPUs.
TEST(MemoryWithoutPools, IsMadeAndFreed)
{
    const planted_faults none(cudaErrorNotSupported, planted_faults::step::ask_for_pools);
    {
        communicator comm(MPI_COMM_WORLD, {.timeout_s = 20.0});
        choose_gpu(comm);
        const user_stream stream;
        array<double> out(comm, 1);
        for (int round = 0; round < 20; ++round) {
            const array<double> in = to_backend(comm, std::vector<double>(1000, 1.0));
            reduce_plan<double> total(comm, sum);
            total.execute(in.data(), 1000, out.data(), on(stream));
            comm.wait(stream);
            EXPECT_EQ(first_of(comm, out), 1000.0 * comm.size());
        }
    }
    EXPECT_GT(planted_faults::calls(), 0);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

} // namespace
} // namespace rankfold::test
