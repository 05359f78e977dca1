// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks that call different things: an error on every rank with a table of rank, call, label and source line;
// no hang.
#include "rankfold/rankfold.hpp"
#include "support/backend_data.hpp"
#include "support/distributed.hpp"
#include "support/expect.hpp"

namespace rankfold::test {
namespace {

class Mismatch : public testing::Test {
protected:
    void SetUp() override { RANKFOLD_NEEDS_RANKS(2); }

    /// On every rank: a mismatch whose table has these words and a row for every rank.
    testing::AssertionResult tabled(std::initializer_list<std::string> words,
                                    const std::function<void()>& call)
    {
        const std::optional<error> failure = error_of(call);
        if (!failure || failure->code() != errc::mismatch) {
            return testing::AssertionFailure() << (failure ? failure->what() : "no error was thrown");
        }
        const std::string text = failure->what();
        std::vector<std::string> all(words);
        for (int r = 0; r < comm_.size(); ++r) {
            all.push_back("rank " + std::to_string(r));
        }
        for (const std::string& word : all) {
            if (text.find(word) == std::string::npos) {
                return testing::AssertionFailure() << "the table lacks '" << word << "':\n" << text;
            }
        }
        return testing::AssertionSuccess();
    }

    communicator comm_{MPI_COMM_WORLD, {.timeout_s = 30.0}};
    bool odd_one_ = comm_.rank() == comm_.size() / 2;
    std::vector<float> floats_ = std::vector<float>(10, 1.0F);
    std::vector<double> doubles_ = std::vector<double>(10, 1.0);
    std::vector<float> out_ = floats_;
};

TEST_F(Mismatch, OfTheOperation)
{
    EXPECT_TRUE(tabled({"all_reduce", "inclusive_scan", "mismatch_test.cpp"}, [&] {
        if (odd_one_) {
            inclusive_scan(comm_, sum, std::span(floats_), std::span(out_));
        } else {
            (void)all_reduce<float>(comm_, sum, std::span(floats_));
        }
    }));
}

TEST_F(Mismatch, OfInclusiveAndExclusive)
{
    EXPECT_TRUE(tabled({"inclusive_scan", "exclusive_scan"}, [&] {
        if (odd_one_) {
            inclusive_scan(comm_, sum, std::span(floats_), std::span(out_));
        } else {
            exclusive_scan(comm_, sum, std::span(floats_), std::span(out_));
        }
    }));
}

TEST_F(Mismatch, OfTheOperatorWithLabelsAndLines)
{
    std::string line;
    const auto call = [&] {
        line = std::to_string(__LINE__ + 2);
        if (odd_one_) {
            (void)all_reduce<float>(comm_, max, std::span(floats_), {}, {.label = "peak"});
        } else {
            (void)all_reduce<float>(comm_, sum, std::span(floats_), {}, {.label = "mass"});
        }
    };

    EXPECT_TRUE(tabled({"sum", "max", "'mass'", "'peak'", "mismatch_test.cpp:"}, call));
    EXPECT_TRUE(tabled({"mismatch_test.cpp:" + line}, call));
}

TEST_F(Mismatch, OfTheInputType)
{
    EXPECT_TRUE(tabled({"float32", "float64"}, [&] {
        if (odd_one_) {
            (void)all_reduce<double>(comm_, sum, std::span(floats_));
        } else {
            (void)all_reduce<double>(comm_, sum, std::span(doubles_));
        }
    }));
}

TEST_F(Mismatch, OfTheResultType)
{
    EXPECT_TRUE(tabled({"float32", "float64"}, [&] {
        if (odd_one_) {
            (void)all_reduce<double>(comm_, sum, std::span(floats_));
        } else {
            (void)all_reduce<float>(comm_, sum, std::span(floats_));
        }
    }));
}

TEST_F(Mismatch, OfInit)
{
    EXPECT_TRUE(tabled({"init"}, [&] {
        exclusive_scan(comm_, sum, std::span(floats_), std::span(out_), {.init = odd_one_ ? 2.0F : 1.0F});
    }));
    EXPECT_TRUE(tabled({"init"}, [&] {
        const scan_plan<float> plan(comm_, exclusive, sum, {.max_count = 10, .init = odd_one_ ? 2.0F : 1.0F});
    }));
}

TEST_F(Mismatch, OfInitGivenAndNotGiven)
{
    EXPECT_TRUE(tabled({"init"}, [&] {
        const std::optional<float> init = odd_one_ ? std::optional(1.0F) : std::nullopt;
        (void)all_reduce<float>(comm_, sum, std::span(floats_), reduce_options<float>{.init = init});
    }));
}

TEST_F(Mismatch, OfTheRoot)
{
    EXPECT_TRUE(tabled({"root 0", "root 1"},
                       [&] { (void)reduce<float>(comm_, sum, std::span(floats_), odd_one_ ? 1 : 0); }));
    EXPECT_TRUE(tabled({"root 0", "root 1"},
                       [&] { const reduce_plan<float> plan(comm_, sum, {.root = odd_one_ ? 1 : 0}); }));
}

TEST_F(Mismatch, OfReduceAndAllReduce)
{
    EXPECT_TRUE(tabled({"reduce", "all_reduce"}, [&] {
        if (odd_one_) {
            (void)reduce<float>(comm_, sum, std::span(floats_), 0);
        } else {
            (void)all_reduce<float>(comm_, sum, std::span(floats_));
        }
    }));
}

TEST_F(Mismatch, OfThePlansThatAreMade)
{
    EXPECT_TRUE(tabled({"inclusive_scan", "reduce"}, [&] {
        if (odd_one_) {
            const scan_plan<float> plan(comm_, inclusive, sum, {.max_count = 10});
        } else {
            const reduce_plan<float> plan(comm_, sum);
        }
    }));
}

TEST_F(Mismatch, OfMakingAPlanAndACall)
{
    EXPECT_TRUE(tabled({"plan", "all_reduce"}, [&] {
        if (odd_one_) {
            const scan_plan<float> plan(comm_, inclusive, sum, {.max_count = 10});
        } else {
            (void)all_reduce<float>(comm_, sum, std::span(floats_));
        }
    }));
}

TEST_F(Mismatch, OfTheNumberOfResultsThatAreAsked)
{
    reduce_plan<float> plan(comm_, sum, {.results = 600});
    const array<float> data = to_backend(comm_, floats_);
    const std::vector<std::span<const float>> many(600, data.span());
    array<float> results(comm_, 600);

    for (const std::size_t fewer : {599U, 2U, 1U}) {
        const std::optional<error> failure = error_of([&] {
            plan.execute(std::span(many).first(odd_one_ ? fewer : 600), results.data(), on_stream(comm_));
            finish(comm_);
        });

        ASSERT_TRUE(failure) << fewer;
        EXPECT_NE(std::string(failure->what()).find("600"), std::string::npos) << failure->what();
        EXPECT_NE(std::string(failure->what()).find(std::to_string(fewer)), std::string::npos)
            << failure->what();
        EXPECT_NE(std::string(failure->what()).find("rank " + std::to_string(comm_.size() / 2)),
                  std::string::npos);
    }
}

TEST_F(Mismatch, OfTheNumberOfResultsThatArePlanned)
{
    EXPECT_TRUE(tabled({"3", "2"},
                       [&] { const reduce_plan<float> plan(comm_, sum, {.results = odd_one_ ? 3 : 2}); }));
}

TEST_F(Mismatch, OfATotalThatSomeRanksAskFor)
{
    float total = 0;

    const std::optional<error> failure = error_of([&] {
        inclusive_scan(comm_, sum, std::span(floats_), std::span(out_),
                       {.total = odd_one_ ? &total : nullptr});
    });

    // Either may be: it is a local wish that costs nothing, or an option that must agree; but alike on every
    // rank.
    EXPECT_EQ(on_any_rank(failure.has_value()), failure.has_value());
    EXPECT_TRUE(failure || !odd_one_ || total == static_cast<float>(10 * comm_.size()));
}

TEST_F(Mismatch, OfAUsageErrorAndAnotherCallIsStillAnErrorOnEveryRank)
{
    reduce_plan<float> plan(comm_, sum);
    array<float> result(comm_, 1);

    EXPECT_TRUE(error_of([&] {
        if (odd_one_) {
            plan.execute(nullptr, 5, result.data(), on_stream(comm_));
        } else {
            inclusive_scan(comm_, sum, std::span(floats_), std::span(out_));
        }
        finish(comm_);
    }));
}

} // namespace
} // namespace rankfold::test
