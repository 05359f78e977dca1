// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How many kernels a call launches where kernels exchange by themselves, and that graphs of such calls can be
// replayed.
#include "support/backend_data.hpp"
#include "support/distributed.hpp"
#include "support/stream_graph.hpp"

#include "rankfold/rankfold.hpp"

#include <algorithm>

namespace rankfold::test {
namespace {

class Launches : public testing::Test {
protected:
    void SetUp() override
    {
        const bool fused = comm_.transport() == transport::self || comm_.transport() == transport::peer;
        RANKFOLD_SKIP_ON_EVERY_RANK_IF(comm_.backend() != backend::cuda || !fused,
                                       "kernels do not exchange by themselves here");
        ASSERT_EQ(cudaSetDevice(comm_.device()), cudaSuccess);
        ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    }
    void TearDown() override
    {
        if (stream_ != nullptr) {
            EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
        }
    }

    [[nodiscard]] execution where() const
    {
        execution result;
        result.stream = stream_;
        return result;
    }

    template <class Call>
    [[nodiscard]] std::size_t launches_of(const Call& call) const
    {
        return stream_graph(stream_, call).nodes();
    }

    static constexpr std::int64_t few = 5000;
    static constexpr std::int64_t many = std::int64_t{8} << 20; ///< more than fits on chip

    communicator comm_{MPI_COMM_WORLD, {.timeout_s = 30.0}};
    cudaStream_t stream_ = nullptr;
    array<float> in_ = to_backend(comm_, std::vector<float>(many, 1.0F));
    array<float> out_{comm_, many};
    array<float> results_{comm_, 8};
};

TEST_F(Launches, AreOneForAReductionAndAnExscan)
{
    reduce_plan<float> mass(comm_, sum);
    reduce_plan<float> three(comm_, max, {.results = 3});
    exscan_plan<float> offset(comm_, sum, {.values = 2});
    const std::span<const float> piece(in_.data(), few);
    const std::span<const float> pieces[] = {piece, piece.first(7), piece.first(0)};

    EXPECT_EQ(launches_of([&] { mass.execute(in_.data(), few, results_.data(), where()); }), 1U);
    EXPECT_EQ(launches_of([&] { mass.execute(in_.data(), many, results_.data(), where()); }), 1U);
    EXPECT_EQ(launches_of([&] { mass.execute(in_.data(), 0, results_.data(), where()); }), 1U);
    EXPECT_EQ(launches_of([&] { three.execute(pieces, results_.data(), where()); }), 3U);
    EXPECT_EQ(launches_of([&] { offset.execute(in_.data(), results_.data(), where()); }), 1U);
}

TEST_F(Launches, AreOneForAScanOnChipAndTwoForALongOneOfSeveralRanks)
{
    scan_plan<float> scan(comm_, exclusive, sum, {.max_count = many});

    EXPECT_EQ(launches_of([&] { scan.execute(in_.data(), out_.data(), few, where()); }), 1U);
    EXPECT_EQ(launches_of([&] { scan.execute(in_.data(), out_.data(), many, where()); }),
              comm_.size() == 1 ? 1U : 2U);
}

TEST_F(Launches, AreTwoForAScanThatCoexistsWithTheSameBits)
{
    const communicator filling(MPI_COMM_WORLD, {.coexist = false});
    const communicator beside(MPI_COMM_WORLD, {.coexist = true});
    std::vector<float> noise(few);
    for (std::size_t i = 0; i < noise.size(); ++i) {
        noise[i] = static_cast<float>(i * 2654435761U % 1000003U) * (i % 3 == 0 ? 1e-4F : 1e3F);
    }
    const array<float> in = to_backend(comm_, noise);
    scan_plan<float> alone(filling, inclusive, sum, {.max_count = few});
    scan_plan<float> coexisting(beside, inclusive, sum, {.max_count = few});

    EXPECT_EQ(launches_of([&] { coexisting.execute(in.data(), out_.data(), few, where()); }),
              comm_.size() == 1 ? 1U : 2U);
    alone.execute(in.data(), out_.data(), few, where());
    coexisting.execute(in.data(), out_.data() + few, few, where());
    comm_.wait(stream_);

    const std::vector<float> sums = to_host(comm_, out_);
    EXPECT_TRUE(std::equal(sums.begin(), sums.begin() + few, sums.begin() + few));
}

TEST_F(Launches, AreReplayedBetweenEagerCalls)
{
    reduce_plan<float> mass(comm_, sum);
    exscan_plan<float> offset(comm_, sum, {.values = 2});
    scan_plan<float> scan(comm_, inclusive, sum, {.max_count = many});
    const auto ranks = static_cast<float>(comm_.size());
    const auto rank = static_cast<float>(comm_.rank());
    const stream_graph graph(stream_, [&] {
        mass.execute(in_.data(), few, results_.data(), where());
        offset.execute(in_.data(), results_.data() + 1, results_.data() + 3, where());
        scan.execute(in_.data(), out_.data(), few, results_.data() + 5, where());
        scan.execute(in_.data(), out_.data() + few, many - few, results_.data() + 6, where());
    });

    for (int i = 0; i < 200; ++i) {
        graph.launch();
        mass.execute(in_.data(), few + i, results_.data() + 7, where());
    }
    comm_.wait(stream_);

    const std::vector<float> found = to_host(comm_, results_);
    EXPECT_EQ(found, (std::vector<float>{few * ranks, rank, rank, ranks, ranks, few * ranks,
                                         (many - few) * ranks, (few + 199) * ranks}));
    const std::vector<float> sums = to_host(comm_, out_);
    EXPECT_EQ(sums[0], few * rank + 1);
    EXPECT_EQ(sums[few - 1], few * rank + few);
    EXPECT_EQ(sums[few], (many - few) * rank + 1);
    EXPECT_EQ(sums[many - 1], (many - few) * (rank + 1));
}

} // namespace
} // namespace rankfold::test
