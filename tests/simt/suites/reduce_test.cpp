// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "reduce_trial.hpp"

#include <gtest/gtest.h>

namespace rankfold::simt {

template <>
inline std::int32_t suites::element(std::int64_t i)
{
    return static_cast<std::int32_t>(i) + 5; // intervals; sums stay small
}

namespace {

using namespace executor;
using namespace suites;

TEST(Reduce, KeepsIntervalsInOrder)
{
    expect_right(900 / fewer, [](const schedule& how) { return reduce_trial<interval_algebra>(how); });
}

TEST(Reduce, FoldsMoreChunksThanABlockHasThreads)
{
    expect_right(600 / fewer,
                 [](const schedule& how) { return reduce_trial<interval_algebra, many_chunks>(how); });
}

TEST(Reduce, GoesThroughTheWrapOfTheEpoch)
{
    expect_right(500 / fewer, [](const schedule& how) {
        const auto before = static_cast<std::uint32_t>(1 + how.seed % 3);
        return reduce_trial<interval_algebra>(how, ~std::uint32_t{0} - before);
    });
}

TEST(Reduce, SumsNarrowIntegersInWideOnes)
{
    using sum = algebra<operator_id::sum, std::int32_t, std::int64_t, std::int32_t>;
    expect_right(600 / fewer, [](const schedule& how) { return reduce_trial<sum>(how); });
}

TEST(Reduce, FindsTheLowestPlaceOfTheMinimum)
{
    using min_loc = algebra<operator_id::min_loc, float, float, located<float>>;
    expect_right(600 / fewer, [](const schedule& how) { return reduce_trial<min_loc>(how); });
}

TEST(Reduce, ComposesMapsInOrder)
{
    using map = affine_map<std::int64_t>;
    expect_right(400 / fewer, [](const schedule& how) {
        return reduce_trial<algebra<operator_id::affine, map, map, map>>(how);
    });
}

/// Members named as in the library's searches: it folds its pieces itself.
struct looks_like_a_search : interval_algebra {
    struct accumulator {
        float value;
        std::int64_t index;
        std::int64_t count;
    };
    static bool better(float x, float y) { return x < y; }
};
static_assert(std::is_same_v<device::piece_algebra<interval_algebra>::type, interval_algebra>);
static_assert(!device::finds_places<looks_like_a_search>);
static_assert(device::finds_places<algebra<operator_id::max_loc, float, float, located<float>>>);

constexpr interval before_all{2, 5}; // joins what begins at 5

TEST(ShortReduce, KeepsIntervalsInOrder)
{
    expect_right(900 / fewer,
                 [](const schedule& how) { return short_reduce_trial<interval_algebra>(how, before_all); });
}

TEST(ShortReduce, GoesThroughTheWrapOfTheEpoch)
{
    expect_right(500 / fewer, [](const schedule& how) {
        const auto before = static_cast<std::uint32_t>(1 + how.seed % 3);
        return short_reduce_trial<interval_algebra>(how, before_all, ~std::uint32_t{0} - before);
    });
}

TEST(ShortReduce, SumsBytesInWideIntegers)
{
    using sum = algebra<operator_id::sum, std::int8_t, std::int64_t, std::int64_t>;
    expect_right(600 / fewer, [](const schedule& how) { return short_reduce_trial<sum>(how, -7); });
}

TEST(ShortReduce, FindsTheLowestPlaceOfTheMinimum)
{
    using min_loc = algebra<operator_id::min_loc, float, float, located<float>>;
    expect_right(600 / fewer, [](const schedule& how) {
        return short_reduce_trial<min_loc>(how, {.value = -3.0F, .index = 1});
    });
}

TEST(ShortReduce, EndsBesideAnother)
{
    expect_right(600 / fewer, [](const schedule& how) {
        return overlapping_short_reductions_trial<interval_algebra>(how, before_all);
    });
}

} // namespace
} // namespace rankfold::simt
