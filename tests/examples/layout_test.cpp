// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "expect_problem.hpp"
#include "file_bytes.hpp"
#include "layout.hpp"

#include <gtest/gtest.h>

#include <limits>

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
    EXPECT_EQ(where.no_data, -88.8888F);
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
    const gtx_header huge{.rows = 100000, .columns = 50000};
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

    EXPECT_EQ(shaped.count, 6);
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
}

} // namespace
