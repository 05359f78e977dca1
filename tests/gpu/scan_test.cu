// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every form of the scan, and the reduction, on the interval monoid around their internal boundaries.
#include "pieces_test.hpp"

namespace rankfold::test {
namespace {

/// [begin, end) in 8 bytes, poisoned where end < begin: can be scanned in place.
struct narrow_interval {
    std::int32_t begin;
    std::int32_t end;
    RANKFOLD_HOST_DEVICE narrow_interval(std::int64_t b, std::int64_t e)
        : begin(static_cast<std::int32_t>(b)), end(static_cast<std::int32_t>(e))
    {
    }
    friend RANKFOLD_HOST_DEVICE bool operator==(const narrow_interval&, const narrow_interval&) = default;
};

struct narrow_algebra : value_algebra<narrow_interval> {
    RANKFOLD_HOST_DEVICE accumulator combine(accumulator l, accumulator r) const
    {
        return l.end == r.begin && l.begin < l.end && r.begin < r.end ? accumulator(l.begin, r.end)
                                                                      : accumulator(1, 0);
    }
};

template <class A>
class Scan : public pieces_test {
protected:
    using phases = device::phases<A>;
    static constexpr std::int64_t crossover = device::bulk_crossover_bytes / phases::widest_bytes;
    static constexpr bool can_be_in_place = sizeof(typename A::input) == sizeof(typename A::output);

    void SetUp() override
    {
        pieces_test::SetUp();
        if (!IsSkipped()) {
            space = std::make_unique<room<A>>(crossover + 1, here);
        }
    }

    const interval_piece<A> piece{};
    std::unique_ptr<room<A>> space;
};

using algebras = ::testing::Types<narrow_algebra, interval_algebra>;
TYPED_TEST_SUITE(Scan, algebras);

TYPED_TEST(Scan, JoinsIntervalsAroundEveryBoundary)
{
    for (const form by : forms_on(this->capability)) {
        const parts of = parts_of<TypeParam>(by, this->here);
        for (const int limit : {0, 1, 3}) {
            this->here.max_resident_blocks = limit;
            for (const std::int64_t count : boundaries(of, limit == 0 ? this->crossover : 2 * of.group)) {
                for (const scan_case& c : {scan_case{count, true, false}, scan_case{count, true, true},
                                           scan_case{count, false, true}}) {
                    EXPECT_EQ(this->wrong_results(this->piece, *this->space, c, by), 0U)
                        << "form " << static_cast<int>(by) << ", " << c << ", blocks " << limit;
                }
            }
        }
        this->here.max_resident_blocks = 0;
    }
}

TYPED_TEST(Scan, StartsAtAnyElement)
{
    for (const form by : forms_on(this->capability)) {
        const std::int64_t count = 2 * parts_of<TypeParam>(by, this->here).tile + 3;
        for (int shift = 0; shift < 16; shift += next_shift()) {
            const scan_case c{count, true, false, false, shift, (7 * shift + 1) % 16};
            EXPECT_EQ(this->wrong_results(this->piece, *this->space, c, by), 0U)
                << "form " << static_cast<int>(by) << ", " << c;
        }
    }
}

TYPED_TEST(Scan, WorksInPlace)
{
    if constexpr (TestFixture::can_be_in_place) {
        for (const form by : forms_on(this->capability)) {
            for (const std::int64_t count :
                 boundaries(parts_of<TypeParam>(by, this->here), this->crossover)) {
                const scan_case c{count, false, true, true, 0, 1};
                EXPECT_EQ(this->wrong_results(this->piece, *this->space, c, by), 0U)
                    << "form " << static_cast<int>(by) << ", " << c;
            }
        }
    } else {
        GTEST_SKIP() << "sizes of input and result differ";
    }
}

TYPED_TEST(Scan, SelectsAFormThatIsRightOnBothSidesOfTheCrossover)
{
    if (reduced()) {
        GTEST_SKIP() << "too large under a sanitizer";
    }
    for (const std::int64_t near : {-1, 0, 1}) {
        const scan_case c{this->crossover + near};
        EXPECT_EQ(this->wrong_results(this->piece, *this->space, c, form::selected), 0U) << c;
    }
}

TYPED_TEST(Scan, LeavesThePartialOfThePiece)
{
    for (const form by : {form::two_passes, form::onchip_in_two, form::wide_onchip_in_two}) {
        for (const std::int64_t count : boundaries(parts_of<TypeParam>(by, this->here), this->crossover)) {
            EXPECT_EQ(this->wrong_results(this->piece, *this->space, {count}, by), 0U);

            const auto found = this->template fetch<typename TypeParam::accumulator>(this->space->record());
            ASSERT_TRUE(found.has_value()) << count;
            EXPECT_TRUE(found.value() == this->piece.upto(count, false))
                << "form " << static_cast<int>(by) << ", count " << count;
        }
    }
}

TYPED_TEST(Scan, ReducesAroundEveryBoundary)
{
    constexpr device::reduce_tuning row = device::phases<TypeParam>::reduce_tuning_row;
    constexpr std::int64_t width = std::int64_t{row.vector} * simt::warp_size;
    constexpr std::int64_t pass = std::int64_t{row.threads} * row.vector * row.rows;
    constexpr std::int64_t middling = std::int64_t{row.few} * row.few_passes * pass; // more draws above
    for (const int limit : {0, 1}) {
        this->here.max_resident_blocks = limit;
        for (const std::int64_t edge : {std::int64_t{1}, std::int64_t{row.vector}, width, width * row.rows,
                                        pass, 2 * pass, row.few * pass, 2 * row.few * pass, middling}) {
            for (const std::int64_t count : {edge - 1, edge, edge + 1}) {
                if (count <= (reduced() ? 3 * pass : middling + 1)) {
                    EXPECT_TRUE(this->reduces(this->piece, *this->space, count))
                        << count << " elements, blocks " << limit;
                }
            }
        }
    }
}

} // namespace
} // namespace rankfold::test
