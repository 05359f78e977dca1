// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every permitted triple of one operator (RANKFOLD_TEST_OPERATOR) against the oracle.
#include "host_backend/builtin.hpp"
#include "rankfold/host/tuning.hpp"
#include "runner.hpp"
#include "samples.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace rankfold::test {
namespace {

constexpr operator_id tested = operator_id::RANKFOLD_TEST_OPERATOR;
constexpr bool is_location = rankfold::detail::is_location<tested>;

using elements =
    std::tuple<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
               std::uint32_t, std::uint64_t, float16, bfloat16, float, double, complex<float>,
               complex<double>, affine_map<std::int64_t>, affine_map<float>, affine_map<double>>;

template <class In>
std::vector<std::int64_t> sizes()
{
    constexpr std::int64_t block = host::block_elements<In>;
    return {0, 1, 7, block - 1, block, block + 1, 2 * block + (block / 3 | 1)};
}

/// Cuts [0, n) into three pieces, the middle one empty.
std::vector<std::int64_t> ragged(std::int64_t n)
{
    return {n / 3, 0, n - n / 3};
}

template <class In>
std::vector<std::span<const In>> cut(const std::vector<In>& x, const std::vector<std::int64_t>& counts)
{
    std::vector<std::span<const In>> pieces;
    std::size_t begin = 0;
    for (const std::int64_t count : counts) {
        pieces.push_back(std::span(x).subspan(begin, static_cast<std::size_t>(count)));
        begin += static_cast<std::size_t>(count);
    }
    return pieces;
}

template <class A, class In, class Out>
void check_reduce(const operation& op, const A& algebra, const std::vector<In>& x)
{
    const auto n = static_cast<std::int64_t>(x.size());
    const Out expected = *oracle::reduce(algebra, std::span(x));

    EXPECT_TRUE(same_value(expected, run_reduce<In, Out>(op, {std::span(x)}))) << n;
    EXPECT_TRUE(same_value(expected, run_reduce<In, Out>(op, cut(x, ragged(n)), {.threads = 3}))) << n;
}

template <class A, class In, class Out>
void check_scan(const operation& op, const A& algebra, const std::vector<In>& x, bool inclusive,
                std::optional<Out> init)
{
    const auto n = static_cast<std::int64_t>(x.size());
    const std::vector<Out> expected = oracle::scan(algebra, std::span(x), inclusive, init);
    const run_options options{.threads = 2, .inclusive = inclusive};
    std::vector<Out> y(x.size());
    Out total{};

    run_scan<In, Out>(op, x.data(), y.data(), n, options, init, &total);
    EXPECT_EQ(first_difference(expected.data(), y.data(), n), -1) << n << inclusive;
    EXPECT_TRUE(same_value(*oracle::reduce(algebra, std::span(x), init), total)) << n;

    y.assign(x.size(), Out{});
    run_tile_scan<In, Out>(op, x.data(), y.data(), ragged(n), options, init);
    EXPECT_EQ(first_difference(expected.data(), y.data(), n), -1) << n << inclusive;

    if constexpr (std::is_same_v<In, Out>) {
        y = x;
        run_scan<In, Out>(op, y.data(), y.data(), n, options, init);
        EXPECT_EQ(first_difference(expected.data(), y.data(), n), -1) << n << inclusive;
        y = x;
        run_tile_scan<In, Out>(op, y.data(), y.data(), ragged(n), options, init);
        EXPECT_EQ(first_difference(expected.data(), y.data(), n), -1) << n << inclusive;
    }
}

template <class In, class Out>
void check_triple()
{
    const builtin_algebra<tested, In, Out> algebra;
    SCOPED_TRACE(static_cast<int>(element_type_of<In>));
    SCOPED_TRACE(static_cast<int>(element_type_of<Out>));
    const std::optional<operation> op =
        host::find_operation(tested, element_type_of<In>, element_type_of<Out>);
    ASSERT_TRUE(op);
    EXPECT_TRUE(host::find_phases(tested, element_type_of<In>, element_type_of<Out>));
    EXPECT_EQ(op->input_bytes, sizeof(In));
    EXPECT_EQ(op->output_bytes, sizeof(Out));

    for (const std::int64_t n : sizes<In>()) {
        const auto x = samples<tested, In>(n, 42);
        check_reduce<decltype(algebra), In, Out>(*op, algebra, x);
        if constexpr (!is_location) {
            std::mt19937_64 random(7);
            check_scan<decltype(algebra), In, Out>(*op, algebra, x, true, std::nullopt);
            check_scan<decltype(algebra), In, Out>(*op, algebra, x, false, std::nullopt);
            check_scan<decltype(algebra), In, Out>(*op, algebra, x, false, sample<tested, Out>(random));
        }
    }
}

template <class In, std::size_t... O>
int check_input(std::index_sequence<O...>)
{
    const auto check = [](auto out) {
        using result = typename decltype(out)::type;
        if constexpr (permitted<tested, In, result>) {
            check_triple<In, result>();
            return 1;
        } else {
            EXPECT_FALSE(host::find_phases(tested, element_type_of<In>, element_type_of<result>));
            return 0;
        }
    };
    const int located_results = is_location ? check(std::type_identity<located<In>>{}) : 0;
    return (located_results + ... + check(std::type_identity<std::tuple_element_t<O, elements>>{}));
}

TEST(Builtin, EveryPermittedTripleMatchesTheOracle)
{
    const int triples = []<std::size_t... I>(std::index_sequence<I...> all)
    {
        return (0 + ... + check_input<std::tuple_element_t<I, elements>>(all));
    }
    (std::make_index_sequence<std::tuple_size_v<elements>>{});

    EXPECT_GT(triples, 0);
    RecordProperty("triples", triples);
}

} // namespace
} // namespace rankfold::test
