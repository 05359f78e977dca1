// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// BC-13, BC-15: pieces that begin at any byte and end where their memory ends, with guards around the
// results; pieces longer than 32-bit numbers.
#include "pieces_test.hpp"

namespace rankfold::test {
namespace {

using wrapping = sum_piece<std::int8_t>;
using widening = sum_piece<std::int8_t, std::int64_t>;

constexpr wrapping wraps{{.scale = 20, .offset = 3}};
constexpr widening widens{{.scale = 20, .offset = 3}};

class Alignment : public pieces_test {
protected:
    /// Scans from and to every byte by every form.
    template <class Piece>
    void expect_right(const Piece& piece)
    {
        using algebra = typename Piece::algebra;
        const room<algebra> space(1 << 20, here);
        for (const form by : forms_on(capability)) {
            const std::int64_t tile = parts_of<algebra>(by, here).tile;
            for (const std::int64_t count : {std::int64_t{1}, std::int64_t{17}, 2 * tile + 5}) {
                for (int shift = 0; shift < 16; shift += next_shift()) {
                    const scan_case c{count, shift % 3 != 0, shift % 2 == 0,
                                      false, shift,          (7 * shift + 1) % 16};
                    EXPECT_EQ(wrong_results(piece, space, c, by), 0U)
                        << "form " << static_cast<int>(by) << ", " << c;
                }
            }
        }
    }
};

TEST_F(Alignment, ScansFromAndToEveryByte)
{
    expect_right(wraps);
}

TEST_F(Alignment, WidensFromEveryByte)
{
    expect_right(widens);
}

TEST_F(Alignment, ReducesFromEveryByte)
{
    const room<widening::algebra> space(0, here);
    for (const std::int64_t count : {1, 3, 31, 32, 33, 255, 4097, reduced() ? 5000 : 1'000'003}) {
        for (int shift = 0; shift < 16; shift += next_shift()) {
            EXPECT_TRUE(reduces(widens, space, count, shift)) << count << " elements from " << shift;
        }
    }
}

/// 2^31 - 1, 2^31 + 1 and 2^32 + 1 elements of one byte.
class Large : public pieces_test {
protected:
    void SetUp() override
    {
        pieces_test::SetUp();
        std::size_t available = 0;
        std::size_t all = 0;
        if (!IsSkipped() && reduced()) {
            GTEST_SKIP() << "too large under a sanitizer";
        }
        if (!IsSkipped() &&
            (cudaMemGetInfo(&available, &all) != cudaSuccess || available < std::size_t{10} << 30)) {
            GTEST_SKIP() << "less than 10 GiB of memory are free on the GPU";
        }
    }

    static constexpr std::int64_t counts[]{(std::int64_t{1} << 31) - 1, (std::int64_t{1} << 31) + 1,
                                           (std::int64_t{1} << 32) + 1};
};

TEST_F(Large, Sums)
{
    const room<widening::algebra> space(0, here);
    for (const std::int64_t count : counts) {
        EXPECT_TRUE(reduces(widens, space, count, 1)) << count;
    }
}

TEST_F(Large, Scans)
{
    const room<wrapping::algebra> space(counts[2], here);
    for (const form by : {form::selected, form::two_passes}) {
        for (const std::int64_t count : counts) {
            for (const bool inclusive : {true, false}) {
                const scan_case c{count, inclusive, true, false, 1};
                EXPECT_EQ(wrong_results(wraps, space, c, by), 0U)
                    << "form " << static_cast<int>(by) << ", " << c;
            }
        }
    }
}

TEST_F(Large, FindsTheFirstMaximum)
{
    using algebra = builtin_algebra<operator_id::max_loc, std::int8_t, located<std::int8_t>>;
    const operation what = describe_operation(algebra{}, operator_id::max_loc);
    const room<algebra> space(0, here);
    const device_memory in(counts[2]);
    set(in.as<std::int8_t>(), counts[2], elements_of<wrapping>{wraps});
    for (const std::int64_t count : counts) {
        // From the right, so that what was set before for this count is not the first one.
        for (const std::int64_t place_of_maximum : {count - 1, count - 2, count / 2}) {
            set(in.as<std::int8_t>(place_of_maximum), 1, constant<std::int8_t>{126});

            device::phases<algebra>::reduce(what, space.reduce(in.as<>(), count), here);

            const auto found = fetch<algebra::accumulator>(space.record()).value();
            EXPECT_EQ(found.value, 126);
            EXPECT_EQ(found.index, place_of_maximum);
        }
        set(in.as<std::int8_t>(), count, elements_of<wrapping>{wraps});
    }
}

/// Threads that fold one, two or three partials of the most words; again and again, as they wait.
TEST_F(Large, FindsAMinimumAmongAnyNumberOfPartials)
{
    using algebra = builtin_algebra<operator_id::min_loc, float, located<float>>;
    using phases = device::phases<algebra>;
    const operation what = describe_operation(algebra{}, operator_id::min_loc);
    const room<algebra> space(0, here);
    constexpr device::reduce_tuning row = phases::reduce_tuning_row;
    constexpr std::int64_t pass = std::int64_t{row.threads} * row.vector * row.rows;
    constexpr std::int64_t runs[]{row.few, std::int64_t{row.few} * row.few_passes + 1, 8 * 1024,
                                  8 * row.chunks};
    const device_memory in(8 * row.chunks * pass * sizeof(float));
    set(in.as<float>(), 8 * row.chunks * pass, constant<float>{1});
    for (const std::int64_t passes : runs) {
        const std::int64_t place_of_minimum = passes * pass / 3;
        set(in.as<float>() + place_of_minimum, 1, constant<float>{-1});
        for (int call = 0; call < 50; ++call) {
            phases::reduce(what, space.reduce(in.as<>(), passes * pass), here);
        }
        const auto found = fetch<algebra::accumulator>(space.record()).value();
        EXPECT_EQ(found.value, -1) << passes << " passes";
        EXPECT_EQ(found.index, place_of_minimum) << passes << " passes";
        set(in.as<float>() + place_of_minimum, 1, constant<float>{1});
    }
}

} // namespace
} // namespace rankfold::test
