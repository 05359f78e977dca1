// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields at the edge of what there is to compute: empty ones, fewer numbers than ranks, infinity and NaN, and
// the no-data values of real grids.
#include "file_bytes.hpp"
#include "run_program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace {

using namespace field_stats::test;
using nlohmann::json;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string text_of(int ranks, const arguments& args)
{
    const outcome result = run(ranks, args);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.output;
}

json statistics_of(int ranks, arguments args)
{
    args.emplace_back("--json");
    return json::parse(text_of(ranks, args), nullptr, false);
}

class FieldEdges : public testing::Test {
protected:
    std::string doubles(const std::vector<double>& values) const
    {
        return folder_.write("f.bin", bytes_in_order(values, std::endian::little));
    }

    scratch_folder folder_;
};

TEST_F(FieldEdges, EmptyArraysHaveStatistics)
{
    const std::string npy =
        folder_.write("f.npy", npy_bytes(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }"));
    const std::string raw = folder_.write("f.bin", "");

    for (const int ranks : {1, 3}) {
        for (const arguments& args :
             {arguments{npy}, arguments{raw, "--type", "int32"},
              arguments{raw, "--type", "float32", "--shape", "0,5"}, arguments{raw, "--type", "int64"}}) {
            const json found = statistics_of(ranks, args);

            EXPECT_EQ(found["count"], 0);
            EXPECT_EQ(found["sum"], 0);
            EXPECT_TRUE(found["min"].is_null() && found["max"].is_null() && found["mean"].is_null() &&
                        found["rms"].is_null());
        }
    }
    EXPECT_NE(text_of(1, {npy}).find("  minimum  none\n"), std::string::npos);
}

TEST_F(FieldEdges, EmptyArraysHavePrefixSums)
{
    const std::string raw = folder_.write("f.bin", "");

    static_cast<void>(statistics_of(
        2, {raw, "--type", "float32", "--shape", "0,5", "--prefix-sum", folder_.path("s.npy")}));
    const json found = statistics_of(2, {folder_.path("s.npy")});

    EXPECT_EQ(found["shape"], json({0, 5}));
    EXPECT_EQ(found["count"], 0);
}

TEST_F(FieldEdges, FewerNumbersThanRanks)
{
    const json found =
        statistics_of(4, {doubles({7.5}), "--type", "float64", "--prefix-sum", folder_.path("s")});

    EXPECT_EQ(found["count"], 1);
    EXPECT_EQ(found["sum"], 7.5);
    EXPECT_EQ(found["min"]["index"], 0);
    EXPECT_EQ(found["max"]["value"], 7.5);
    EXPECT_EQ(folder_.read("s"), bytes_in_order(7.5, std::endian::little));
}

TEST_F(FieldEdges, InfinityIsToldFromNaNAndFromNothing)
{
    const json up = statistics_of(2, {doubles({1, infinity, 3, 2}), "--type", "float64"});
    EXPECT_EQ(up["max"]["value"], "Infinity");
    EXPECT_EQ(up["max"]["index"], 1);
    EXPECT_EQ(up["sum"], "Infinity");
    EXPECT_EQ(up["rms"], "Infinity");
    EXPECT_EQ(up["min"]["value"], 1.0);

    const json both = statistics_of(2, {doubles({infinity, -infinity}), "--type", "float64"});
    EXPECT_EQ(both["min"]["value"], "-Infinity");
    EXPECT_EQ(both["sum"], "NaN");
    EXPECT_EQ(both["mean"], "NaN");
}

TEST_F(FieldEdges, NaNHasNoSignInText)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const std::vector<double>& values :
         {std::vector<double>{infinity, -infinity}, {1, -nan, 2}, {nan, 1}}) {
        const std::string text = text_of(1, {doubles(values), "--type", "float64"});

        EXPECT_NE(text.find("  sum      nan\n"), std::string::npos) << text;
        EXPECT_EQ(text.find("-nan"), std::string::npos) << text;
    }
}

TEST_F(FieldEdges, NoDataValuesOfRealGridsAreLeftOut)
{
    for (const float unknown : {-88.8888F, -2147479936.0F, -9999.0F, 1e30F}) {
        const std::string path =
            folder_.write("f.gtx", gtx_header{}.bytes() + bytes_in_order<float>({10, unknown, 30, 40, 50, 60},
                                                                                std::endian::big));
        const json found = statistics_of(3, {path});

        EXPECT_EQ(found["no_data_count"], 1) << unknown;
        EXPECT_EQ(found["count"], 5);
        EXPECT_EQ(found["sum"], 190);
        EXPECT_EQ(found["min"]["value"], 10);
        EXPECT_EQ(found["max"]["index"], 5);
    }
}

TEST_F(FieldEdges, GridsOfDoubles)
{
    const std::string path = folder_.write(
        "f.gtx", gtx_header{}.bytes() +
                     bytes_in_order<double>({0.1, -88.8888, 0.3, 0.4, 0.5, -2147479936.0}, std::endian::big));
    const json found = statistics_of(2, {path});

    EXPECT_EQ(found["type"], "float64");
    EXPECT_EQ(found["no_data_count"], 2);
    EXPECT_EQ(found["min"]["value"], 0.1);
    EXPECT_EQ(found["max"]["value"], 0.5);
    EXPECT_EQ(found["max"]["latitude"], -89);
}

} // namespace
