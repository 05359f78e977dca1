// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Several communicators on one GPU, whose calls come in another order on another rank's GPU.
#include "device_test.hpp"

#include "support/dice.hpp"
#include "support/stream_graph.hpp"

#include <memory>

namespace rankfold::test {
namespace {

constexpr std::int64_t count = 2'000'000; // a scan of it takes all of an H200 where it may

/// A communicator with a stream and a scan of its own.
struct party {
    explicit party(std::optional<bool> coexist = {})
        : comm(MPI_COMM_WORLD, {.timeout_s = 10.0, .coexist = coexist})
    {
        choose_gpu(comm);
        stream = std::make_unique<user_stream>();
    }
    void call() { scan.execute(in.data(), out.data(), count, on(*stream)); }
    void check()
    {
        comm.wait(*stream);
        const std::vector<float> got = to_host(comm, out);
        EXPECT_EQ(got.front(), static_cast<float>(comm.rank() * count + 1));
        EXPECT_EQ(got.back(), static_cast<float>((comm.rank() + 1) * count));
    }

    communicator comm;
    std::unique_ptr<user_stream> stream;
    array<float> in = to_backend(comm, std::vector<float>(count, 1.0F));
    array<float> out{comm, count};
    scan_plan<float> scan{comm, inclusive, sum, {.max_count = count}};
};

TEST(SeveralCommunicators, DoNotKeepEachOtherOutWhateverTheirOrderOnTheGpus)
{
    party first;
    party second;
    dice random(announced_seed());
    for (int round = 0; round < 20; ++round) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double milliseconds = static_cast<double>(random.below(20));
        const int held_up = static_cast<int>(random.below(world_size()));
        const stopwatch time;
        if (world_rank() == held_up) {
            first.stream->hold(milliseconds * 1e-3);
        }
        first.call();
        second.call();
        first.check();
        second.check();
        EXPECT_LT(time.seconds(), 5.0) << "round " << round;
    }
}

TEST(SeveralCommunicators, TakeTwoLaunchesForAScanThatOneCommunicatorTakesOneFor)
{
    party first;
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(first.comm.transport() != transport::peer,
                                   "kernels do not wait for other ranks");
    const auto launches = [&] { return stream_graph(*first.stream, [&] { first.call(); }).nodes(); };

    EXPECT_EQ(launches(), 1U);
    {
        const party second;
        EXPECT_EQ(launches(), 2U);
    }
    EXPECT_EQ(launches(), 1U);
    party filling(false); // says itself that it may fill the GPU
    EXPECT_EQ(stream_graph(*filling.stream, [&] { filling.call(); }).nodes(), 1U);
}

} // namespace
} // namespace rankfold::test
