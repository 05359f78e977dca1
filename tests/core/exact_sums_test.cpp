// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Exact sums over ranks: the same bits for every order, partition and rank count, those of the exact sum
// rounded once.
#include "rankfold/rankfold.hpp"
#include "support/backend_data.hpp"
#include "support/dice.hpp"
#include "support/exact_sum.hpp"
#include "support/expect.hpp"
#include "support/hard_sums.hpp"

#include <fstream>
#include <numeric>

namespace rankfold::test {
namespace {

class ExactSums : public testing::Test {
protected:
    /// A cut of `count` elements into pieces, some of them empty: the same on all ranks.
    layout cut(std::size_t count)
    {
        std::vector<std::int64_t> ends;
        for (int r = 1; r < comm_.size(); ++r) {
            ends.push_back(dice_.below(static_cast<std::int64_t>(count) + 1));
        }
        ends.push_back(static_cast<std::int64_t>(count));
        std::sort(ends.begin(), ends.end());
        std::vector<std::int64_t> counts(ends.size());
        std::adjacent_difference(ends.begin(), ends.end(), counts.begin());
        return layout_of(counts, comm_.rank());
    }
    template <class Out, class T>
    Out total(const std::vector<T>& global, std::optional<Out> init = {})
    {
        const auto mine = piece_of(global, cut(global.size()));
        return all_reduce<Out>(comm_, sum, std::span(mine), {.init = init});
    }
    template <class T, class Out>
    void expect_rounded_once(int powers, int top)
    {
        for (const int count : {0, 1, 5, 3000}) {
            std::vector<T> x;
            for (const double value : spread_numbers<double>(random_, count, powers, top)) {
                x.push_back(number_of<T>(value));
            }
            EXPECT_TRUE(same_bits(total<Out>(x), exact_sum_of<Out>(x))) << count;
        }
    }

    communicator comm_{MPI_COMM_WORLD};
    dice dice_{51};
    std::mt19937_64 random_{52}; // the same on all ranks
};

TEST_F(ExactSums, AreRoundedOnceInEveryOrderAndPartition)
{
    for (hard_case& c : hard_sums(53)) {
        const auto expected = exact_sum_of<double>(c.values);
        for (int order = 0; order < 2; ++order) {
            EXPECT_TRUE(same_bits(total<double>(c.values), expected)) << c.name;
            std::shuffle(c.values.begin(), c.values.end(), random_);
        }
    }
    EXPECT_EQ(total<double>(std::vector<double>{1, 1e100, 1, -1e100}), 2.0);
    EXPECT_EQ(total<double>(std::vector<double>{1e16, 1, -1e16, 1}), 2.0);
    EXPECT_EQ(total<double>(std::vector<double>{1e308, 1e308, -1e308}), 1e308);
}

TEST_F(ExactSums, AreThoseOfEveryType)
{
    expect_rounded_once<double, double>(2000, 1000);
    expect_rounded_once<float, float>(200, 100);
    expect_rounded_once<float, double>(200, 100);
    expect_rounded_once<float16, float16>(25, 5);
    expect_rounded_once<float16, float>(35, 14);
    expect_rounded_once<bfloat16, bfloat16>(200, 100);
    expect_rounded_once<bfloat16, float>(200, 100);
}

template <class In, class Out>
void expect_complex_sum(const communicator& comm, std::mt19937_64& random, const layout& where)
{
    std::vector<std::complex<In>> global;
    std::vector<In> re = spread_numbers<In>(random, static_cast<int>(where.total), 220, 100);
    std::vector<In> im = spread_numbers<In>(random, static_cast<int>(where.total), 20, 0);
    for (std::size_t i = 0; i < re.size(); ++i) {
        global.emplace_back(re[i], im[i]);
    }
    const auto mine = piece_of(global, where);

    const auto total = all_reduce<std::complex<Out>>(comm, sum, std::span(mine), {.init = {{1, -1}}});

    re.push_back(1);
    im.push_back(-1);
    EXPECT_TRUE(same_bits(total, std::complex<Out>(exact_sum_of<Out>(re), exact_sum_of<Out>(im))));
}

TEST_F(ExactSums, OfComplexNumbersAreTwoSums)
{
    for (const std::size_t count : {0U, 1U, 2001U}) {
        expect_complex_sum<float, float>(comm_, random_, cut(count));
        expect_complex_sum<float, double>(comm_, random_, cut(count));
        expect_complex_sum<double, double>(comm_, random_, cut(count));
    }
}

TEST_F(ExactSums, KnowSpecialNumbers)
{
    for (const double x : special_numbers()) {
        for (const double y : special_numbers()) {
            const std::vector<double> pair{x, y};
            EXPECT_TRUE(same_bits(total<double>(pair), exact_sum_of<double>(pair))) << x << " " << y;
            EXPECT_TRUE(same_bits(total<double>(std::vector{x}, {y}), exact_sum_of<double>(pair)))
                << x << ", init " << y;
        }
    }
    EXPECT_TRUE(same_bits(total<double>(std::vector<double>{}), 0.0));
    EXPECT_TRUE(same_bits(total<double>(std::vector<double>{}, {-0.0}), -0.0));
}

TEST_F(ExactSums, TakeTheInitAsOneMoreElement)
{
    EXPECT_EQ(total<double>(std::vector<double>{1, -1e300, 1}, {1e300}), 2.0);
    EXPECT_EQ((total<float>(std::vector<float>{1, 1}, {-0x1p-149F})), 2.0F);
}

TEST_F(ExactSums, OfAPlanAreIndependent)
{
    // The second result alone needs wide records, of some ranks.
    reduce_plan<double> plan(comm_, sum, {.results = 3});
    array<double> results(comm_, 3);
    for (int repeat = 0; repeat < 2; ++repeat) {
        std::vector<std::vector<double>> global;
        global.push_back(spread_numbers<double>(random_, 500, 40, 3));
        global.push_back(cancelling(spread_numbers<double>(random_, 500, 1500, 900), {1.0}, random_));
        global.push_back(spread_numbers<double>(random_, 7, 10, -700));
        std::vector<array<double>> pieces;
        std::vector<std::span<const double>> views;
        pieces.reserve(global.size());
        for (const auto& x : global) {
            pieces.push_back(to_backend(comm_, piece_of(x, cut(x.size()))));
            views.emplace_back(pieces.back().data(), pieces.back().size());
        }

        plan.execute(views, results.data(), on_stream(comm_));

        const std::vector<double> sums = to_host(comm_, results);
        for (std::size_t k = 0; k < global.size(); ++k) {
            EXPECT_TRUE(same_bits(sums[k], exact_sum_of<double>(global[k]))) << k;
        }
        EXPECT_EQ(sums[1], 1.0);
    }
}

TEST_F(ExactSums, GoToTheRootAlone)
{
    const std::vector<double> x{0x1p1000, 1, -0x1p1000, 0x1p-1000};
    const int root = comm_.size() - 1;
    const auto mine = piece_of(x, cut(x.size()));

    const auto total = reduce<double>(comm_, sum, std::span(mine), root);

    EXPECT_EQ(total.has_value(), comm_.rank() == root);
    EXPECT_EQ(total.value_or(1.0), 1.0);
}

TEST_F(ExactSums, OfLowerRanksAreExact)
{
    constexpr int values = 3;
    exscan_plan<double> plan(comm_, sum, {.values = values, .init = 0x1p-1000});
    array<double> prefixes(comm_, values);
    array<double> totals(comm_, values);
    for (int trial = 0; trial < 20; ++trial) {
        std::array<std::vector<double>, values> global;
        std::vector<double> mine;
        for (auto& x : global) {
            x = spread_numbers<double>(random_, comm_.size(), 1 + 100 * trial, 900);
            mine.push_back(x[static_cast<std::size_t>(comm_.rank())]);
        }

        plan.execute(to_backend(comm_, mine).data(), prefixes.data(), totals.data(), on_stream(comm_));

        const auto below = to_host(comm_, prefixes);
        const auto all = to_host(comm_, totals);
        for (std::size_t k = 0; k < values; ++k) {
            std::vector<double> x = global[k];
            x.push_back(0x1p-1000);
            EXPECT_TRUE(same_bits(all[k], exact_sum_of<double>(x)));
            x.erase(x.begin() + comm_.rank(), x.end() - 1);
            EXPECT_TRUE(same_bits(below[k], exact_sum_of<double>(x)));
        }
    }
    const std::array<float, 4> cancel{1, 1e30F, 1, -1e30F};
    float total = 0;
    const auto prefix =
        exscan<float>(comm_, sum, cancel[static_cast<std::size_t>(comm_.rank()) % 4], {.total = &total});
    EXPECT_EQ(prefix,
              exact_sum_of<float>(std::vector<float>(cancel.begin(), cancel.begin() + comm_.rank() % 4)) +
                  static_cast<float>(comm_.rank() / 4 * 2));
}

TEST_F(ExactSums, OfATenthAHundredMillionTimes)
{
    const std::vector<float> mine(
        static_cast<std::size_t>(split_evenly(100'000'000, comm_.rank(), comm_.size()).count), 0.1F);
    EXPECT_EQ(all_reduce<double>(comm_, sum, std::span(mine)), 0x1.312d004c4b400p+23);
}

TEST_F(ExactSums, OfTheGeoid)
{
    std::ifstream file("/usr/share/proj/egm96_15.gtx", std::ios::binary);
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(!file, "needs proj-data");
    std::vector<unsigned char> bytes(721 * 1440 * 4);
    file.seekg(40);
    file.read(reinterpret_cast<char*>(bytes.data()), std::ssize(bytes));
    std::vector<float> heights;
    std::vector<double> squares;
    for (std::size_t i = 0; i < bytes.size(); i += 4) {
        const std::uint32_t word = std::uint32_t{bytes[i]} << 24 | std::uint32_t{bytes[i + 1]} << 16 |
                                   std::uint32_t{bytes[i + 2]} << 8 | bytes[i + 3];
        heights.push_back(std::bit_cast<float>(word));
        squares.push_back(static_cast<double>(heights.back()) * heights.back()); // exact
    }

    EXPECT_EQ(total<double>(heights), -0x1.6e0c960a15fd5p+20);
    EXPECT_EQ(total<double>(squares), 0x1.a7c7fb45dc6b0p+29);
}

} // namespace
} // namespace rankfold::test
