// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A wrong argument on one rank is an error on every rank, which names argument, value and rank; the
// communicator can be used afterwards.
#include "rankfold/rankfold.hpp"
#include "support/backend_data.hpp"
#include "support/distributed.hpp"
#include "support/expect.hpp"

#include <array>

namespace rankfold::test {
namespace {

class BadArgument : public testing::Test {
protected:
    BadArgument() { data_.assign(std::vector<float>(100, 1.0F)); }
    ~BadArgument() override
    {
        const std::vector<float> one{1.0F};
        EXPECT_EQ(all_reduce<float>(comm_, sum, std::span(one)), static_cast<float>(comm_.size()))
            << "the communicator is not usable after the error";
    }
    [[nodiscard]] bool culprit() const { return comm_.rank() == culprit_; }
    [[nodiscard]] std::string culprit_name() const { return "rank " + std::to_string(culprit_); }

    /// On every rank: usage error with the words and the rank of the culprit.
    testing::AssertionResult blamed(std::initializer_list<std::string> words,
                                    const std::function<void()>& call)
    {
        const auto all_words = fails_with(errc::usage, words, call);
        return all_words ? fails_with(errc::usage, {culprit_name()}, call) : all_words;
    }

    communicator comm_{MPI_COMM_WORLD};
    int culprit_ = comm_.size() - 1;
    array<float> data_{comm_, 100};
    array<float> out_{comm_, 100};
};

TEST_F(BadArgument, NegativeCountOfAReduction)
{
    reduce_plan<float> plan(comm_, sum);

    EXPECT_TRUE(blamed({"count", "-5"}, [&] {
        plan.execute(data_.data(), culprit() ? -5 : 10, out_.data(), on_stream(comm_));
        finish(comm_);
    }));
}

TEST_F(BadArgument, NegativeCountOfAScan)
{
    scan_plan<float> plan(comm_, inclusive, sum, {.max_count = 100});

    EXPECT_TRUE(blamed({"count", "-1"}, [&] {
        plan.execute(data_.data(), out_.data(), culprit() ? -1 : 10, on_stream(comm_));
        finish(comm_);
    }));
}

TEST_F(BadArgument, NullInputWithElements)
{
    reduce_plan<float> reduction(comm_, sum);
    scan_plan<float> scan(comm_, exclusive, sum, {.max_count = 100});

    EXPECT_TRUE(blamed({"null", "10"}, [&] {
        reduction.execute(culprit() ? nullptr : data_.data(), 10, out_.data(), on_stream(comm_));
        finish(comm_);
    }));
    EXPECT_TRUE(blamed({"null", "10"}, [&] {
        scan.execute(culprit() ? nullptr : data_.data(), out_.data(), 10, on_stream(comm_));
        finish(comm_);
    }));
}

TEST_F(BadArgument, NullOutput)
{
    reduce_plan<float> reduction(comm_, sum);
    scan_plan<float> scan(comm_, exclusive, sum, {.max_count = 100});
    exscan_plan<float> prefix(comm_, sum);

    EXPECT_TRUE(blamed({"result", "null"}, [&] {
        reduction.execute(data_.data(), 10, culprit() ? nullptr : out_.data(), on_stream(comm_));
        finish(comm_);
    }));
    EXPECT_TRUE(blamed({"out", "null"}, [&] {
        scan.execute(data_.data(), culprit() ? nullptr : out_.data(), 10, on_stream(comm_));
        finish(comm_);
    }));
    EXPECT_TRUE(blamed({"null"}, [&] {
        prefix.execute(data_.data(), culprit() ? nullptr : out_.data(), on_stream(comm_));
        finish(comm_);
    }));
    EXPECT_TRUE(blamed({"null"}, [&] {
        prefix.execute(culprit() ? nullptr : data_.data(), out_.data(), on_stream(comm_));
        finish(comm_);
    }));
}

// BC-19
TEST_F(BadArgument, InputAndOutputThatOverlapButAreNotEqual)
{
    scan_plan<float> plan(comm_, inclusive, sum, {.max_count = 100});
    float* const p = data_.data();

    EXPECT_TRUE(blamed({"overlap"}, [&] {
        plan.execute(p, culprit() ? p + 1 : out_.data(), 50, on_stream(comm_));
        finish(comm_);
    }));
    EXPECT_TRUE(blamed({"overlap"}, [&] {
        plan.execute(culprit() ? p + 1 : p, culprit() ? p : out_.data(), 50, on_stream(comm_));
        finish(comm_);
    }));
}

TEST_F(BadArgument, ATotalInsideTheInputOrTheOutputOfAScan)
{
    scan_plan<float> plan(comm_, inclusive, sum, {.max_count = 100});
    array<float> total(comm_, 1);

    for (float* const inside : {data_.data() + 5, out_.data() + 5, out_.data()}) {
        EXPECT_TRUE(blamed({"total", "overlap", "disjoint"}, [&] {
            plan.execute(data_.data(), out_.data(), 50, culprit() ? inside : total.data(), on_stream(comm_));
            finish(comm_);
        }));
    }
}

TEST_F(BadArgument, ResultsInsideInputsOfOtherResults)
{
    reduce_plan<float> plan(comm_, sum, {.results = 2});
    float* const p = data_.data();
    const std::array<std::span<const float>, 2> own{std::span<const float>(p, 1),
                                                    std::span<const float>(p + 1, 1)};

    EXPECT_TRUE(blamed({"result", "overlap"}, [&] {
        plan.execute(own, culprit() ? p + 1 : out_.data(), on_stream(comm_));
        finish(comm_);
    }));
    EXPECT_FALSE(error_of([&] { // each result in the place of its own input
        plan.execute(own, p, on_stream(comm_));
        finish(comm_);
    }));
}

TEST_F(BadArgument, TotalsOfAnExscanInItsPrefixes)
{
    exscan_plan<float> plan(comm_, sum, {.values = 4});

    EXPECT_TRUE(blamed({"prefixes", "totals", "overlap"}, [&] {
        plan.execute(data_.data(), out_.data(), out_.data() + (culprit() ? 3 : 50), on_stream(comm_));
        finish(comm_);
    }));
}

// BC-19
TEST_F(BadArgument, TheSameMemoryForElementsOfDifferentSize)
{
    scan_plan<std::int8_t, std::int64_t> plan(comm_, inclusive, sum, {.max_count = 100});
    array<std::int64_t> wide(comm_, 100);
    array<std::int8_t> narrow(comm_, 100);
    auto* const aliased = reinterpret_cast<std::int8_t*>(wide.data());

    EXPECT_TRUE(blamed({"overlap"}, [&] {
        plan.execute(culprit() ? aliased : narrow.data(), wide.data(), 100, on_stream(comm_));
        finish(comm_);
    }));
}

TEST_F(BadArgument, NeighbouringInputAndOutputAreFine)
{
    scan_plan<float> plan(comm_, inclusive, sum, {.max_count = 50});

    plan.execute(data_.data(), data_.data() + 50, 50, on_stream(comm_));

    EXPECT_EQ(to_host(comm_, data_)[99], static_cast<float>(50 * (comm_.rank() + 1)));
}

TEST_F(BadArgument, MisalignedData)
{
    reduce_plan<float> plan(comm_, sum);
    auto* const bytes = reinterpret_cast<char*>(data_.data());

    EXPECT_TRUE(blamed({"align"}, [&] {
        plan.execute(reinterpret_cast<float*>(bytes + (culprit() ? 2 : 0)), 10, out_.data(),
                     on_stream(comm_));
        finish(comm_);
    }));
}

TEST_F(BadArgument, CountAboveMaxCount)
{
    scan_plan<float> scan(comm_, inclusive, sum, {.max_count = 8});
    reduce_plan<float> reduction(comm_, sum, {.max_count = 8});

    EXPECT_TRUE(blamed({"count", "9", "8"}, [&] {
        scan.execute(data_.data(), out_.data(), culprit() ? 9 : 8, on_stream(comm_));
        finish(comm_);
    }));
    EXPECT_TRUE(blamed({"count", "9", "8"}, [&] {
        reduction.execute(data_.data(), culprit() ? 9 : 8, out_.data(), on_stream(comm_));
        finish(comm_);
    }));
}

TEST_F(BadArgument, MoreResultsThanPlanned)
{
    reduce_plan<float> plan(comm_, sum, {.results = 2});
    const std::vector<std::span<const float>> inputs(3, std::as_const(data_).span());

    EXPECT_TRUE(fails_with(errc::usage, {"3", "2", "rank"}, [&] {
        plan.execute(inputs, out_.data(), on_stream(comm_));
        finish(comm_);
    }));
}

TEST_F(BadArgument, OneShotScanWithOutputOfAnotherLength)
{
    const std::vector<float> in(10, 1.0F);
    std::vector<float> out(culprit() ? 9 : 10);

    EXPECT_TRUE(blamed({"10", "9"}, [&] { inclusive_scan(comm_, sum, std::span(in), std::span(out)); }));
}

TEST_F(BadArgument, RootOutOfRangeOnEveryRank)
{
    const int ranks = comm_.size();
    const std::vector<float> in(10, 1.0F);

    EXPECT_TRUE(fails_with(errc::usage, {"root", std::to_string(ranks)},
                           [&] { (void)reduce<float>(comm_, sum, std::span(in), ranks); }));
    EXPECT_TRUE(
        fails_with(errc::usage, {"root", "-1"}, [&] { reduce_plan<float> plan(comm_, sum, {.root = -1}); }));
}

TEST_F(BadArgument, RootOutOfRangeOnOneRank)
{
    const std::vector<float> in(10, 1.0F);

    EXPECT_TRUE(
        blamed({"root", "99"}, [&] { (void)reduce<float>(comm_, sum, std::span(in), culprit() ? 99 : 0); }));
    EXPECT_TRUE(
        blamed({"root", "99"}, [&] { reduce_plan<float> plan(comm_, sum, {.root = culprit() ? 99 : 0}); }));
}

TEST_F(BadArgument, PlanOptionsThatAreOutOfRangeOnOneRank)
{
    EXPECT_TRUE(blamed({"max_count", "-2"}, [&] {
        scan_plan<float> plan(comm_, inclusive, sum, {.max_count = culprit() ? -2 : 2});
    }));
    EXPECT_TRUE(blamed({"results", "0"},
                       [&] { reduce_plan<float> plan(comm_, sum, {.results = culprit() ? 0 : 1}); }));
    EXPECT_TRUE(blamed({"-3"}, [&] { exscan_plan<float> plan(comm_, sum, {.values = culprit() ? -3 : 1}); }));
}

TEST_F(BadArgument, AsManyResultsAsMayBeAreTakenAndNotOneMore)
{
    constexpr int most = 1024;
    const array<float> ones = to_backend(comm_, std::vector<float>(most, 1.0F));
    array<float> sums(comm_, most);
    std::vector<std::span<const float>> pieces;
    for (int i = 0; i < most; ++i) {
        pieces.push_back(ones.span().first(static_cast<std::size_t>(i)));
    }
    reduce_plan<float> plan(comm_, sum, {.results = most});

    plan.execute(pieces, sums.data(), on_stream(comm_));

    const std::vector<float> found = to_host(comm_, sums);
    for (int i = 0; i < most; ++i) {
        ASSERT_EQ(found[static_cast<std::size_t>(i)], static_cast<float>(i * comm_.size()));
    }
    EXPECT_TRUE(blamed({"results", "1025", "1 to 1024"}, [&] {
        reduce_plan<float> more(comm_, sum, {.results = culprit() ? most + 1 : most});
    }));
}

// BC-98
TEST_F(BadArgument, AWorkspaceThatOneRankCannotAllocate)
{
    EXPECT_TRUE(fails_with(errc::out_of_memory, {culprit_name(), "memory", "bytes"}, [&] {
        scan_plan<std::int8_t, std::int64_t> plan(comm_, inclusive, sum,
                                                  {.max_count = culprit() ? 1LL << 60 : 100});
    }));
    const std::vector<float> ones(1024, 1.0F);
    EXPECT_EQ(all_reduce<float>(comm_, sum, std::span(ones)), 1024.0F * static_cast<float>(comm_.size()));
}

TEST_F(BadArgument, NegativeSizeOfAnArray)
{
    EXPECT_TRUE(fails_with(errc::usage, {"count", "-7"}, [&] { array<float> negative(comm_, -7); }));
}

TEST_F(BadArgument, EmptyPiecesMayBeNull)
{
    scan_plan<float> scan(comm_, inclusive, sum, {.max_count = 10});
    reduce_plan<float> reduction(comm_, sum);

    scan.execute(nullptr, nullptr, 0, on_stream(comm_));
    reduction.execute(nullptr, 0, out_.data(), on_stream(comm_));

    EXPECT_EQ(to_host(comm_, out_)[0], 0.0F);
}

} // namespace
} // namespace rankfold::test
