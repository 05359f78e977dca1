// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "expect_problem.hpp"
#include "file_bytes.hpp"
#include "layout.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sys/stat.h>

namespace {

using namespace field_stats;
using field_stats::test::gtx_header;
using field_stats::test::scratch_folder;

file_head head_of(const std::string& bytes, const std::string& path = "f.gtx", std::int64_t file_bytes = -1)
{
    const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
    return {path,
            {data, data + bytes.size()},
            file_bytes < 0 ? static_cast<std::int64_t>(bytes.size()) : file_bytes};
}

TEST(GtxLayout, ReadsHeader)
{
    const layout where = gtx_layout(head_of(gtx_header{}.bytes() + std::string(24, '\0')));

    EXPECT_EQ(where.offset_bytes, 40);
    EXPECT_EQ(where.count, 6);
    EXPECT_EQ(where.shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(where.endian, std::endian::big);
    EXPECT_EQ(where.type, number_type::float32);
}

TEST(GtxLayout, KnowsTheNoDataValuesOfRealGrids)
{
    const layout where = gtx_layout(head_of(gtx_header{}.bytes() + std::string(24, '\0')));

    for (const float unknown : {-88.8888F, -2147479936.0F, -9999.0F, 1e30F, -1000.01F}) {
        EXPECT_TRUE(where.no_data->holds(unknown)) << unknown;
        EXPECT_TRUE(where.no_data->holds(double{unknown})) << unknown;
    }
    for (const double known : {-88.88, -88.8889, 0.0, 1000.0, -1000.0, std::nan("")}) {
        EXPECT_FALSE(where.no_data->holds(known)) << known;
    }
    EXPECT_TRUE(where.no_data->holds(-88.8888)); // the double next to it, too
}

TEST(GtxLayout, TellsDoublesByTheLengthOfTheFile)
{
    const layout where = gtx_layout(head_of(gtx_header{}.bytes(), "f.gtx", 40 + 6 * 8));

    EXPECT_EQ(where.type, number_type::float64);
    EXPECT_EQ(where.count, 6);
}

TEST(GtxLayout, NamesASwappedHeader)
{
    const gtx_header usual{.latitude = 50.0, .longitude = 8.0, .latitude_step = 0.5, .longitude_step = 0.25};
    const std::string little = usual.bytes(std::endian::little);

    EXPECT_PROBLEM(gtx_layout(head_of(little, "f.gtx", 40 + 6 * 4)),
                   "the .gtx header is byte-swapped (little-endian: 2 rows, 3 columns)");
    EXPECT_PROBLEM(gtx_layout(head_of(little, "f.gtx", 40 + 6 * 8)),
                   "--type float64 --endian little|big --offset 40 --shape 2,3");
}

TEST(GtxLayout, RefusesRowsBeyondThePole)
{
    const gtx_header past{.latitude = 89.5, .latitude_step = 0.5, .rows = 3, .columns = 2};
    const gtx_header half{.latitude = -90.125, .latitude_step = 0.25};
    const gtx_header rounded{.latitude_step = 0.01666667, .rows = 10801, .columns = 1};

    EXPECT_PROBLEM(gtx_layout(head_of(past.bytes(), "f.gtx", 40 + 24)), "end at 90.5, beyond the pole");
    EXPECT_PROBLEM(gtx_layout(head_of(half.bytes(), "f.gtx", 40 + 24)), "latitude -90.125");
    EXPECT_EQ(gtx_layout(head_of(rounded.bytes(), "f.gtx", 40 + 4 * 10801)).count, 10801);
}

TEST(GtxLayout, FindsCoordinatesOfTheGeoid)
{
    const gtx_header egm96{.latitude_step = 0.25, .longitude_step = 0.25, .rows = 721, .columns = 1440};
    const layout where = gtx_layout(head_of(egm96.bytes(), "f.gtx", 40 + 4LL * 721 * 1440));

    const coordinates low = coordinates_of(where, 546795);
    const coordinates high = coordinates_of(where, 472189);

    EXPECT_EQ(low.latitude, 4.75);
    EXPECT_EQ(low.longitude, 78.75);
    EXPECT_EQ(high.latitude, -8.25);
    EXPECT_EQ(high.longitude, 147.25);
}

TEST(GtxLayout, BringsLongitudesIntoOneTurn)
{
    const gtx_header east{.longitude = 0.0, .longitude_step = 90.0, .rows = 1, .columns = 4};
    const layout where = gtx_layout(head_of(east.bytes(), "f.gtx", 40 + 16));

    EXPECT_EQ(coordinates_of(where, 2).longitude, 180.0);
    EXPECT_EQ(coordinates_of(where, 3).longitude, -90.0);
}

TEST(GtxLayout, CountsBeyondTwoToTheThirtyOne)
{
    const gtx_header huge{
        .latitude_step = 0.0018, .longitude_step = 0.0072, .rows = 100000, .columns = 50000};
    const layout where = gtx_layout(head_of(huge.bytes(), "f.gtx", 40 + 20'000'000'000));

    EXPECT_EQ(where.count, 5'000'000'000);
    EXPECT_EQ(indices_of(where, 4'999'999'999), (std::vector<std::int64_t>{99999, 49999}));
}

TEST(GtxLayout, RefusesWhatIsNotAHeader)
{
    EXPECT_PROBLEM(gtx_layout(head_of("short")), "f.gtx: is shorter than a .gtx header: 5 bytes of 40");
    EXPECT_PROBLEM(gtx_layout(head_of(std::string(100, 'x'))), "unknown layout: not a .gtx header");
    EXPECT_PROBLEM(gtx_layout(head_of(gtx_header{.rows = 0}.bytes())), "0 rows");
    EXPECT_PROBLEM(gtx_layout(head_of(gtx_header{.columns = -3}.bytes())), "-3 columns");
    EXPECT_PROBLEM(
        gtx_layout(head_of(gtx_header{.latitude = std::numeric_limits<double>::quiet_NaN()}.bytes())), "nan");
}

TEST(GtxLayout, RefusesAFileOfAnotherLengthThanItsHeaderSays)
{
    const std::string header = gtx_header{}.bytes();

    EXPECT_PROBLEM(gtx_layout(head_of(header, "f.gtx", 63)), "is shorter than it should be: 63 bytes");
    EXPECT_PROBLEM(gtx_layout(head_of(header, "f.gtx", 65)), "has 1 bytes more than its header says");
}

TEST(RawLayout, TakesTheWholeFile)
{
    const layout where =
        raw_layout(head_of("", "f.bin", 4 * 7 + 3), {.type = number_type::int32, .offset_bytes = 3});

    EXPECT_EQ(where.count, 7);
    EXPECT_EQ(where.offset_bytes, 3);
    EXPECT_EQ(where.shape, std::vector<std::int64_t>{7});
}

TEST(RawLayout, TakesShapeOrCount)
{
    const layout shaped =
        raw_layout(head_of("", "f.bin", 100), {.type = number_type::float64, .shape = {2, 3}});
    const layout counted = raw_layout(head_of("", "f.bin", 100), {.type = number_type::float64, .count = 12});

    const layout empty = raw_layout(head_of("", "f.bin", 0), {.type = number_type::float64, .shape = {0, 5}});

    EXPECT_EQ(shaped.count, 6);
    EXPECT_EQ(empty.count, 0);
    EXPECT_EQ(counted.count, 12);
}

TEST(RawLayout, RefusesWhatDoesNotFit)
{
    const file_head head = head_of("", "f.bin", 100);
    const auto f8 = number_type::float64;

    EXPECT_PROBLEM(raw_layout(head, {}), "needs --type");
    EXPECT_PROBLEM(raw_layout(head, {.type = f8}), "are not a whole number of float64");
    EXPECT_PROBLEM(raw_layout(head, {.type = f8, .count = 13}), "100 bytes, where 13 float64 numbers");
    EXPECT_PROBLEM(raw_layout(head, {.type = f8, .offset_bytes = 101}),
                   "--offset 101 lies beyond its 100 bytes");
    EXPECT_PROBLEM(raw_layout(head, {.type = f8, .offset_bytes = -1}), "--offset is -1, must be >= 0");
    EXPECT_PROBLEM(raw_layout(head, {.type = f8, .count = -1}), "negative extent -1");
    EXPECT_PROBLEM(raw_layout(head, {.type = f8, .count = 1, .shape = {1}}), "exclude each other");
    EXPECT_PROBLEM(raw_layout(head, {.type = f8, .shape = {3037000500, 3037000500}}), "passes 2^63 bytes");
}

TEST(LayoutOf, JudgesByContentAndName)
{
    const std::string npy = test::npy_bytes(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (0,)}");

    EXPECT_EQ(layout_of(head_of(npy, "x.dat"), file_format::automatic, {}).format, file_format::npy);
    EXPECT_EQ(layout_of(head_of("", "x.gtx", 8), file_format::automatic, {.type = number_type::int64}).format,
              file_format::raw);
    EXPECT_PROBLEM(layout_of(head_of("abc", "x.dat"), file_format::automatic, {}), "unknown layout");
    EXPECT_PROBLEM(layout_of(head_of("abc", "x.npy"), file_format::automatic, {}),
                   "does not begin like an .npy");
    EXPECT_PROBLEM(layout_of(head_of("abc", "x.gtx"), file_format::automatic, {.count = 3}),
                   "are for raw files");
}

TEST(ReadHead, TellsWhyAFileCannotBeRead)
{
    const scratch_folder folder;
    folder.write("short.gtx", "abc");

    EXPECT_PROBLEM(read_head(folder.path("none.gtx")), "none.gtx: cannot open: No such file or directory");
    EXPECT_PROBLEM(read_head(folder.path("")), "is not a regular file");
    EXPECT_EQ(read_head(folder.path("short.gtx")).bytes.size(), 3U);
    ASSERT_EQ(::mkfifo(folder.path("pipe.gtx").c_str(), 0600), 0); // opening it would wait for a writer
    EXPECT_PROBLEM(read_head(folder.path("pipe.gtx")), "pipe.gtx: is not a regular file");
}

} // namespace
