// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every format, type and byte order, read by three ranks and compared with sums over the same numbers in this
// program.
#include "file_bytes.hpp"
#include "run_program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace {

using namespace field_stats::test;
using nlohmann::json;

constexpr std::int64_t rows = 7;
constexpr std::int64_t columns = 11;

/// Small integers: their sums are exact in any order.
template <class T>
std::vector<T> some_values()
{
    std::vector<T> values;
    for (std::int64_t i = 0; i < rows * columns; ++i) {
        values.push_back(static_cast<T>(i * 37 % 101 - 50));
    }
    return values;
}

json statistics_of(const arguments& args)
{
    arguments all = args;
    all.emplace_back("--json");
    const outcome result = run(3, all);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return json::parse(result.output, nullptr, false);
}

template <class T>
void expect_statistics(const json& found, const std::vector<T>& values)
{
    const auto low = std::ranges::min_element(values) - values.begin();
    const auto high = std::ranges::max_element(values) - values.begin();
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    double squares = 0;
    for (const T x : values) {
        squares += static_cast<double>(x) * static_cast<double>(x);
    }
    const auto count = static_cast<double>(values.size());

    EXPECT_EQ(found["count"], values.size());
    EXPECT_EQ(found["sum"], sum);
    EXPECT_EQ(found["mean"], sum / count);
    EXPECT_NEAR(found["rms"].get<double>(), std::sqrt(squares / count), 1e-12);
    EXPECT_EQ(found["min"]["value"], values[static_cast<std::size_t>(low)]);
    EXPECT_EQ(found["min"]["index"], low);
    EXPECT_EQ(found["max"]["value"], values[static_cast<std::size_t>(high)]);
    EXPECT_EQ(found["max"]["index"], high);
}

struct kind {
    const char* raw;
    const char* npy;
};

template <class T>
constexpr kind kind_of{};
template <>
constexpr kind kind_of<float>{"float32", "f4"};
template <>
constexpr kind kind_of<double>{"float64", "f8"};
template <>
constexpr kind kind_of<std::int32_t>{"int32", "i4"};
template <>
constexpr kind kind_of<std::int64_t>{"int64", "i8"};

template <class T>
class FieldFormats : public testing::Test {
protected:
    scratch_folder folder_;
    std::vector<T> values_ = some_values<T>();
};
using types = testing::Types<float, double, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(FieldFormats, types);

TYPED_TEST(FieldFormats, RawOfEitherByteOrder)
{
    for (const std::endian order : {std::endian::little, std::endian::big}) {
        const std::string path = this->folder_.write("f.bin", "odd" + bytes_in_order(this->values_, order));

        const json found = statistics_of({path, "--type", kind_of<TypeParam>.raw, "--offset", "3", "--endian",
                                          order == std::endian::big ? "big" : "little"});

        expect_statistics(found, this->values_);
        EXPECT_EQ(found["shape"], json({rows * columns}));
    }
}

TYPED_TEST(FieldFormats, NpyOfEitherByteOrder)
{
    for (const std::endian order : {std::endian::little, std::endian::big}) {
        const std::string descr =
            (order == std::endian::big ? ">" : "<") + std::string(kind_of<TypeParam>.npy);
        const std::string head =
            npy_bytes(order == std::endian::big ? 2 : 1,
                      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (7, 11), }");
        const std::string path = this->folder_.write("f.npy", head + bytes_in_order(this->values_, order));

        const json found = statistics_of({path});

        expect_statistics(found, this->values_);
        EXPECT_EQ(found["shape"], json({rows, columns}));
        EXPECT_EQ(found["min"]["indices"], json({found["min"]["index"].template get<int>() / columns,
                                                 found["min"]["index"].template get<int>() % columns}));
    }
}

TYPED_TEST(FieldFormats, PrefixSumsAreReadBack)
{
    using sum_type = std::conditional_t<std::is_floating_point_v<TypeParam>, double, std::int64_t>;
    const std::string path = this->folder_.write("f.bin", bytes_in_order(this->values_, std::endian::little));
    std::vector<sum_type> sums(this->values_.begin(), this->values_.end());
    std::partial_sum(sums.begin(), sums.end(), sums.begin());

    static_cast<void>(statistics_of({path, "--type", kind_of<TypeParam>.raw, "--shape", "7,11",
                                     "--prefix-sum", this->folder_.path("sums.npy")}));
    const json found = statistics_of({this->folder_.path("sums.npy")});

    EXPECT_EQ(found["shape"], json({rows, columns}));
    expect_statistics(found, sums);
}

TEST(FieldStats, LeavesNoDataValuesOut)
{
    const scratch_folder folder;
    const std::vector<float> values{-88.8888F, 5, -3, -88.8888F, 7, -88.8888F};
    const std::string path =
        folder.write("f.gtx", gtx_header{}.bytes() + bytes_in_order(values, std::endian::big));

    const json found = statistics_of({path, "--prefix-sum", folder.path("sums")});

    EXPECT_EQ(found["count"], 3);
    EXPECT_EQ(found["no_data_count"], 3);
    EXPECT_EQ(found["sum"], 9);
    EXPECT_EQ(found["mean"], 3);
    EXPECT_EQ(found["min"]["value"], -3);
    EXPECT_EQ(found["max"]["index"], 4);
    EXPECT_EQ(folder.read("sums"), bytes_in_order<double>({0, 5, 2, 2, 9, 9}, std::endian::little));
}

TEST(FieldStats, HasNoExtremesWhereNothingIsKnown)
{
    const scratch_folder folder;
    const std::vector<float> values(6, -88.8888F);
    const std::string path =
        folder.write("f.gtx", gtx_header{}.bytes() + bytes_in_order(values, std::endian::big));

    const json found = statistics_of({path});

    EXPECT_EQ(found["count"], 0);
    EXPECT_TRUE(found["min"].is_null() && found["max"].is_null() && found["mean"].is_null());
}

TEST(FieldStats, SumsIntegersExactlyAndRoundsBeyond64Bits)
{
    const scratch_folder folder;
    const std::int64_t big = (std::int64_t{1} << 53) + 1; // not exact in double
    const std::string exact =
        folder.write("a", bytes_in_order<std::int64_t>({big, 1, -1}, std::endian::little));
    const std::int64_t half = std::int64_t{1} << 62;
    const std::string beyond =
        folder.write("b", bytes_in_order<std::int64_t>({half, half, half}, std::endian::little));

    EXPECT_EQ(statistics_of({exact, "--type", "int64"})["sum"], big);
    EXPECT_EQ(statistics_of({beyond, "--type", "int64"})["sum"], 3.0 * static_cast<double>(half));
}

TEST(FieldStats, SquaresNeitherOverflowNorVanish)
{
    const scratch_folder folder;
    const std::string huge =
        folder.write("a", bytes_in_order<double>({1e300, -1e300, 1e300}, std::endian::little));
    const std::string tiny =
        folder.write("b", bytes_in_order<double>({1e-300, -1e-300, 1e-300}, std::endian::little));

    EXPECT_DOUBLE_EQ(statistics_of({huge, "--type", "float64"})["rms"].get<double>(), 1e300);
    EXPECT_DOUBLE_EQ(statistics_of({tiny, "--type", "float64"})["rms"].get<double>(), 1e-300);
}

TEST(FieldStats, RootMeanSquareOfDenormals)
{
    const scratch_folder folder;
    const double least = std::numeric_limits<double>::denorm_min();
    const auto rms_of = [&](const std::vector<double>& values) {
        const std::string path = folder.write("a", bytes_in_order(values, std::endian::little));
        return statistics_of({path, "--type", "float64"})["rms"].get<double>();
    };

    EXPECT_EQ(rms_of({least, -least, least}), least);
    EXPECT_EQ(rms_of({3 * least, 0, 3 * least, 3 * least, 3 * least, 3 * least}), 3 * least); // 2.7 of them
    EXPECT_EQ(rms_of({1024 * least, -1024 * least, 1024 * least, 1024 * least}), 1024 * least);
}

TEST(FieldStats, FindsTheFirstNaN)
{
    const scratch_folder folder;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::string path =
        folder.write("a", bytes_in_order<double>({1, 2, nan, 4, nan}, std::endian::little));

    const json found = statistics_of({path, "--type", "float64"});

    EXPECT_EQ(found["sum"], "NaN");
    EXPECT_EQ(found["min"]["value"], "NaN");
    EXPECT_EQ(found["min"]["index"], 2);
    EXPECT_EQ(found["max"]["index"], 2);
}

} // namespace
