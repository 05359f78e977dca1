// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The values of the EGM96 geoid, and of a grid whose values are known by construction, on 1 to 8 ranks.
#include "file_bytes.hpp"
#include "run_program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace {

using namespace field_stats::test;
using nlohmann::json;

const std::string geoid = "/usr/share/proj/egm96_15.gtx";

json statistics_of(int ranks, const std::string& path, arguments more = {})
{
    arguments args{path, "--json"};
    args.insert(args.end(), more.begin(), more.end());
    const outcome result = run(ranks, args);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_TRUE(json::accept(result.output)) << result.output;
    return json::parse(result.output, nullptr, false);
}

/// 181 x 360 whole degrees whose values are the integers from -n/2 to n/2 - 1, in an order that jumps about,
/// over 64, as values beyond 1000 would be left out: value number i is ((7919 i) mod n - n/2) / 64. All are
/// exact as floats, and so are their sums; that of all is -n/2/64.
struct synthetic_grid {
    static constexpr std::int64_t rows = 181;
    static constexpr std::int64_t columns = 360;
    static constexpr std::int64_t count = rows * columns;
    static constexpr std::int64_t stride = 7919; // a prime that does not divide count

    static std::int64_t numerator(std::int64_t index) { return stride * index % count - count / 2; }
    static double value(std::int64_t index) { return static_cast<double>(numerator(index)) / 64; }
    static std::int64_t index_of(std::int64_t wanted)
    {
        std::int64_t index = 0;
        while (numerator(index) != wanted) {
            ++index;
        }
        return index;
    }
    static std::string bytes()
    {
        std::string result = gtx_header{.rows = rows, .columns = columns}.bytes();
        for (std::int64_t i = 0; i < count; ++i) {
            result += bytes_in_order(static_cast<float>(value(i)), std::endian::big);
        }
        return result;
    }
};

class FieldValues : public testing::TestWithParam<int> {
protected:
    scratch_folder folder_;
};

TEST_P(FieldValues, AreRightForTheGeoid)
{
    if (!std::filesystem::exists(geoid)) {
        GTEST_SKIP() << geoid
                     << " (Debian package proj-data) is not installed: AreRightForASyntheticGrid stands in";
    }

    const json found = statistics_of(GetParam(), geoid);

    EXPECT_EQ(found["shape"], json({721, 1440}));
    EXPECT_EQ(found["count"], 1038240);
    EXPECT_EQ(found["no_data_count"], 0);
    EXPECT_NEAR(found["sum"].get<double>(), -1499337.377462377, 1499337.377462377e-12);
    EXPECT_NEAR(found["mean"].get<double>(), -1499337.377462377 / 1038240, 1.5e-12);
    EXPECT_EQ(found["min"]["value"], -106.9910888671875);
    EXPECT_EQ(found["min"]["index"], 546795);
    EXPECT_EQ(found["min"]["latitude"], 4.75);
    EXPECT_EQ(found["min"]["longitude"], 78.75);
    EXPECT_EQ(found["max"]["value"], 85.39092254638672);
    EXPECT_EQ(found["max"]["index"], 472189);
    EXPECT_EQ(found["max"]["latitude"], -8.25);
    EXPECT_EQ(found["max"]["longitude"], 147.25);
}

TEST_P(FieldValues, AreRightForASyntheticGrid)
{
    using grid = synthetic_grid;
    const std::string path = folder_.write("synthetic.gtx", grid::bytes());
    const std::int64_t lowest = grid::index_of(-grid::count / 2);
    const std::int64_t highest = grid::index_of(grid::count / 2 - 1);
    const auto half = static_cast<double>(grid::count / 2);
    const double sum_of_squares =
        (half * (half + 1) * (2 * half + 1) + (half - 1) * half * (2 * half - 1)) / 6;

    const json found = statistics_of(GetParam(), path);

    EXPECT_EQ(found["count"], grid::count);
    EXPECT_EQ(found["sum"], -half / 64);
    EXPECT_EQ(found["mean"], -0.5 / 64);
    EXPECT_NEAR(found["rms"].get<double>(), std::sqrt(sum_of_squares / (2 * half)) / 64, 1e-10);
    EXPECT_EQ(found["min"]["value"], -half / 64);
    EXPECT_EQ(found["min"]["index"], lowest);
    EXPECT_EQ(found["min"]["latitude"], static_cast<double>(lowest / grid::columns - 90));
    EXPECT_EQ(found["max"]["value"], (half - 1) / 64);
    EXPECT_EQ(found["max"]["index"], highest);
}

TEST_P(FieldValues, PrefixSumsOfTheSyntheticGridAreExact)
{
    using grid = synthetic_grid;
    const std::string path = folder_.write("synthetic.gtx", grid::bytes());
    std::vector<double> expected;
    double sum = 0;
    for (std::int64_t i = 0; i < grid::count; ++i) {
        expected.push_back(sum += grid::value(i));
    }

    const json found = statistics_of(GetParam(), path, {"--prefix-sum", folder_.path("sums.bin")});

    EXPECT_EQ(found["prefix_sum"], folder_.path("sums.bin"));
    EXPECT_TRUE(folder_.read("sums.bin") == bytes_in_order(expected, std::endian::little));
    EXPECT_EQ(folder_.names().size(), 2U);
}

/// FIELD_STATS_RANKS limits the tests to one rank count: that of the GPUs.
std::vector<int> rank_counts()
{
    if (const char* only = std::getenv("FIELD_STATS_RANKS")) {
        return {std::atoi(only)};
    }
    return {1, 2, 3, 4, 5, 6, 7, 8};
}

INSTANTIATE_TEST_SUITE_P(Ranks, FieldValues, testing::ValuesIn(rank_counts()),
                         [](const auto& p) { return "np" + std::to_string(p.param); });

} // namespace
