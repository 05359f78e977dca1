// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The bulk form of the scan over the built-in types: narrow ones have strips of their own, bytes are added by
// words.
#include "bulk_scan_test.hpp"

namespace rankfold::test {
namespace {

TEST_F(BulkScan, SumsBytesOfEitherSign)
{
    expect_right(sum_piece<std::int8_t>{{.scale = 20, .offset = 3}});    // -117 to 123
    expect_right(sum_piece<std::uint8_t>{{.scale = 20, .offset = 130}}); // 10 to 250
    expect_right(sum_piece<std::uint8_t, std::uint32_t>{{.scale = 20, .offset = 130}});
    expect_right(sum_piece<std::int8_t, std::int64_t>{{.scale = 20, .offset = -5}});
}

TEST_F(BulkScan, SumsIntegers)
{
    expect_right(sum_piece<std::int16_t>{{.scale = 5000, .offset = 77}});
    expect_right(sum_piece<std::int32_t>{{.scale = 300'000'000, .offset = 1}});
    expect_right(sum_piece<std::int64_t>{{.scale = std::int64_t{1} << 59, .offset = 1}});
}

TEST_F(BulkScan, SumsNarrowFloatingNumbers)
{
    expect_right(sum_piece<float16>{});
    expect_right(sum_piece<bfloat16>{});
}

TEST_F(BulkScan, SumsFloatingNumbers)
{
    expect_right(sum_piece<float>{{.scale = 2, .offset = 1}});
    expect_right(sum_piece<double>{{.scale = 1 << 20, .offset = 1}});
    expect_right(sum_piece<float, double>{{.scale = 1 << 20, .offset = 1 << 16}}); // too much for a float
}

TEST_F(BulkScan, SumsComplexNumbers)
{
    expect_right(sum_piece<complex<float>>{{.scale = 2, .offset = 1}});
    expect_right(sum_piece<complex<double>>{{.scale = 1 << 20, .offset = 1}});
}

TEST_F(BulkScan, ComposesMapsInOrder)
{
    expect_right(map_piece<float>{{.scale = 2, .offset = 1}});
    expect_right(map_piece<double>{{.scale = 1 << 20, .offset = 1}});
}

} // namespace
} // namespace rankfold::test
