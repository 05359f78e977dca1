// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "expect_problem.hpp"
#include "file_bytes.hpp"
#include "layout.hpp"

#include <gtest/gtest.h>

namespace {

using namespace field_stats;
using field_stats::test::npy_bytes;

layout parsed(const std::string& bytes, std::int64_t file_bytes = 1'000'000)
{
    const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
    return npy_layout({"f.npy", {data, data + bytes.size()}, file_bytes});
}

std::string dictionary(const std::string& descr, const std::string& shape,
                       const std::string& fortran = "False")
{
    return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

TEST(NpyLayout, ReadsEveryVersion)
{
    for (const int version : {1, 2, 3}) {
        const std::string bytes = npy_bytes(version, dictionary("<f8", "(3, 4)") + "    \n");

        const layout where = parsed(bytes);

        EXPECT_EQ(where.offset_bytes, static_cast<std::int64_t>(bytes.size()));
        EXPECT_EQ(where.shape, (std::vector<std::int64_t>{3, 4}));
        EXPECT_EQ(where.count, 12);
        EXPECT_EQ(where.type, number_type::float64);
    }
}

TEST(NpyLayout, ReadsEveryTypeAndOrder)
{
    EXPECT_EQ(parsed(npy_bytes(1, dictionary("<f4", "(1,)"))).type, number_type::float32);
    EXPECT_EQ(parsed(npy_bytes(1, dictionary("<f8", "(1,)"))).type, number_type::float64);
    EXPECT_EQ(parsed(npy_bytes(1, dictionary("<i4", "(1,)"))).type, number_type::int32);
    EXPECT_EQ(parsed(npy_bytes(1, dictionary("<i8", "(1,)"))).type, number_type::int64);
    EXPECT_EQ(parsed(npy_bytes(1, dictionary("<i8", "(1,)"))).endian, std::endian::little);
    EXPECT_EQ(parsed(npy_bytes(1, dictionary(">i8", "(1,)"))).endian, std::endian::big);
    EXPECT_EQ(parsed(npy_bytes(1, dictionary("=i8", "(1,)"))).endian, std::endian::native);
}

TEST(NpyLayout, TakesTheDictionaryInAnyForm)
{
    const layout where =
        parsed(npy_bytes(1, "{\"shape\":(2,3,4),\"fortran_order\":False,\"descr\":\"<i4\"}"));

    EXPECT_EQ(where.count, 24);
    EXPECT_EQ(parsed(npy_bytes(1, dictionary("<i4", "()"))).count, 1);
    EXPECT_EQ(parsed(npy_bytes(1, dictionary("<i4", "(0, 5)"))).count, 0);
    EXPECT_EQ(parsed(npy_bytes(1, dictionary("<i4", "(5,)", "True"))).count, 5);
}

TEST(NpyLayout, TakesWhatPython2Wrote)
{
    EXPECT_EQ(parsed(npy_bytes(1, dictionary("<f8", "(2L, 3L)"))).shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(parsed(npy_bytes(1, dictionary("<f8", "(6L,)"))).count, 6);
    EXPECT_EQ(parsed(npy_bytes(1, "{u'descr': u'<f8', u\"fortran_order\": False, u'shape': (6,), }")).count,
              6);
    EXPECT_PROBLEM(parsed(npy_bytes(1, dictionary("<f8", "(2M, 3)"))), "expected");
    EXPECT_PROBLEM(parsed(npy_bytes(1, dictionary("<f8", "(2LL, 3)"))), "expected");
}

TEST(NpyLayout, TakesFortranOrderThatIsCOrderToo)
{
    for (const char* shape : {"(6, 1)", "(1, 6)", "(1, 6, 1)", "(1, 1)", "(6,)", "()", "(0, 3, 2)"}) {
        EXPECT_NO_THROW(parsed(npy_bytes(2, dictionary("<f8", shape, "True")))) << shape;
    }
    EXPECT_EQ(parsed(npy_bytes(2, dictionary("<f8", "(6, 1)", "True"))).shape,
              (std::vector<std::int64_t>{6, 1}));
}

TEST(NpyLayout, RefusesFortranOrderWithAReason)
{
    EXPECT_PROBLEM(parsed(npy_bytes(1, dictionary("<i4", "(2, 1, 3)", "True"))), "fortran_order");
    EXPECT_PROBLEM(parsed(npy_bytes(1, dictionary("<i4", "(2, 3)", "True"))), "save it with order='C'");
}

TEST(NpyLayout, RefusesOtherTypes)
{
    for (const char* descr : {"<f2", "<c8", "|u1", "<u4", "<U3", "|O", "", "f4"}) {
        EXPECT_PROBLEM(parsed(npy_bytes(1, dictionary(descr, "(1,)"))), "is not supported");
    }
    EXPECT_PROBLEM(parsed(npy_bytes(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}")),
                   "records are not supported");
}

TEST(NpyLayout, RefusesBrokenHeaders)
{
    const std::string good = npy_bytes(1, dictionary("<f4", "(2,)"));

    EXPECT_PROBLEM(parsed(""), "unknown layout");
    EXPECT_PROBLEM(parsed(npy_bytes(4, "{}")), "version 4 is not known");
    EXPECT_PROBLEM(parsed(good.substr(0, 30), 30), "the file is shorter");
    EXPECT_PROBLEM(parsed(npy_bytes(1, "")), "'{' expected");
    EXPECT_PROBLEM(parsed(npy_bytes(1, "{}")), "lacks descr");
    EXPECT_PROBLEM(parsed(npy_bytes(1, "{'descr")), "expected");
    EXPECT_PROBLEM(parsed(npy_bytes(1, dictionary("<f4", "(2"))), "expected");
    EXPECT_PROBLEM(parsed(npy_bytes(1, dictionary("<f4", "(99999999999999999999,)"))), "64-bit extent");
    EXPECT_PROBLEM(parsed(npy_bytes(1, dictionary("<f4", "(-2,)"))), "negative extent -2");
    EXPECT_PROBLEM(parsed(npy_bytes(1, "{'color': True}")), "key 'color'");
}

TEST(NpyLayout, RefusesAFileShorterThanItsHeaderSays)
{
    const std::string bytes = npy_bytes(1, dictionary("<f4", "(2,)"));

    EXPECT_PROBLEM(parsed(bytes, static_cast<std::int64_t>(bytes.size()) + 7),
                   "is shorter than it should be");
}

/// Shapes whose text has every length that a few extents give: also one that just fills 64 bytes.
std::vector<std::vector<std::int64_t>> many_shapes()
{
    std::vector<std::vector<std::int64_t>> shapes{{}};
    for (std::int64_t extent = 1; extent <= 1'000'000'000; extent *= 10) {
        shapes.push_back({extent});
        for (int ones = 1; ones <= 25; ++ones) {
            std::vector<std::int64_t> shape(static_cast<std::size_t>(ones), 1);
            shape.push_back(extent);
            shapes.push_back(shape);
        }
    }
    return shapes;
}

TEST(NpyHead, IsReadBack)
{
    std::vector<bool> filled(64); // places of the line that a dictionary ended at
    for (const std::vector<std::int64_t>& shape : many_shapes()) {
        const std::string head = npy_head(number_type::int64, shape);
        filled[head.rfind('}') % 64] = true;

        EXPECT_EQ(head.size() % 64, 0U);
        EXPECT_EQ(head.back(), '\n');
        const layout where = parsed(head, 9'000'000'000);
        EXPECT_EQ(where.offset_bytes, static_cast<std::int64_t>(head.size()));
        EXPECT_EQ(where.shape, shape);
        EXPECT_EQ(where.type, number_type::int64);
    }
    EXPECT_TRUE(filled[62]); // the newline just fits
    EXPECT_TRUE(filled[63]); // it does not: one more line
}

} // namespace
