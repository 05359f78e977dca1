// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which triples compile, against the table of rankfold/permitted.hpp written once more, by properties of
// numbers; and the values of algebras that no sum would show.
#include "rankfold/permitted.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <tuple>

namespace rankfold::test {
namespace {

enum class kind { none, signed_integer, unsigned_integer, floating, complex_number, map };

/// What the table knows of a type: its kind and its bits.
struct traits {
    kind of;
    int bits;
};

template <class T>
constexpr traits traits_of{kind::none, 0};
#define RANKFOLD_TRAITS(type, kind_, bits_)                                                                  \
    template <>                                                                                              \
    constexpr traits traits_of<type>{kind::kind_, bits_};
RANKFOLD_TRAITS(std::int8_t, signed_integer, 8)
RANKFOLD_TRAITS(std::int16_t, signed_integer, 16)
RANKFOLD_TRAITS(std::int32_t, signed_integer, 32)
RANKFOLD_TRAITS(std::int64_t, signed_integer, 64)
RANKFOLD_TRAITS(std::uint8_t, unsigned_integer, 8)
RANKFOLD_TRAITS(std::uint16_t, unsigned_integer, 16)
RANKFOLD_TRAITS(std::uint32_t, unsigned_integer, 32)
RANKFOLD_TRAITS(std::uint64_t, unsigned_integer, 64)
RANKFOLD_TRAITS(float16, floating, 16)
RANKFOLD_TRAITS(bfloat16, floating, 16)
RANKFOLD_TRAITS(float, floating, 32)
RANKFOLD_TRAITS(double, floating, 64)
RANKFOLD_TRAITS(complex<float>, complex_number, 64)
RANKFOLD_TRAITS(complex<double>, complex_number, 128)
RANKFOLD_TRAITS(affine_map<std::int64_t>, map, 64)
RANKFOLD_TRAITS(affine_map<float>, map, 32)
RANKFOLD_TRAITS(affine_map<double>, map, 64)
#undef RANKFOLD_TRAITS

__extension__ using int128 = __int128;

using types = std::tuple<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                         std::uint32_t, std::uint64_t, float16, bfloat16, float, double, complex<float>,
                         complex<double>, affine_map<std::int64_t>, affine_map<float>, affine_map<double>,
                         bool, char, wchar_t, char16_t, char32_t, long double, int128, complex<long double>,
                         affine_map<std::int32_t>, located<complex<float>>, std::byte>;

bool is_integer(traits x)
{
    return x.of == kind::signed_integer || x.of == kind::unsigned_integer;
}

/// The table in words: sums stay or get wider within their kind (16-bit numbers by float at most), the rest
/// stay.
bool expected(operator_id op, traits in, traits out, bool same)
{
    switch (op) {
    case operator_id::sum:
    case operator_id::prod:
        if (is_integer(in)) {
            return in.of == out.of && out.bits >= in.bits;
        }
        return same ? in.of == kind::floating || in.of == kind::complex_number
                    : in.of == out.of && out.bits == 2 * in.bits &&
                          (in.of == kind::floating || in.of == kind::complex_number);
    case operator_id::min:
    case operator_id::max:
        return same && (is_integer(in) || in.of == kind::floating);
    case operator_id::bit_and:
    case operator_id::bit_or:
    case operator_id::bit_xor:
    case operator_id::logical_and:
    case operator_id::logical_or:
        return same && is_integer(in);
    case operator_id::affine:
        return same && in.of == kind::map;
    case operator_id::min_loc:
    case operator_id::max_loc:
    case operator_id::user:
        return false;
    }
    return false;
}

constexpr std::size_t type_count = std::tuple_size_v<types>;
using row = std::array<bool, type_count>;

template <operator_id Id, class In, class... Out>
constexpr row row_of(std::type_identity<std::tuple<Out...>> /*all*/)
{
    return {permitted<Id, In, Out>...};
}
template <operator_id Id, class... In>
constexpr std::array<row, type_count> rows_of(std::type_identity<std::tuple<In...>> all)
{
    return {row_of<Id, In>(all)...};
}
template <operator_id Id, class... In>
constexpr row searches_of(std::type_identity<std::tuple<In...>> /*all*/)
{
    return {permitted<Id, In, located<In>>...};
}
template <class... T>
constexpr std::array<traits, type_count> all_traits(std::type_identity<std::tuple<T...>> /*all*/)
{
    return {traits_of<T>...};
}

template <operator_id Id>
void check_operator()
{
    constexpr std::type_identity<types> all{};
    static constexpr auto rows = rows_of<Id>(all);
    static constexpr row searches = searches_of<Id>(all);
    constexpr auto of = all_traits(all);
    constexpr bool is_search = Id == operator_id::min_loc || Id == operator_id::max_loc;
    for (std::size_t in = 0; in < type_count; ++in) {
        const bool searched = is_integer(of[in]) || of[in].of == kind::floating;
        EXPECT_EQ(searches[in], is_search && searched) << static_cast<int>(Id) << ", type " << in;
        for (std::size_t out = 0; out < type_count; ++out) {
            EXPECT_EQ(rows[in][out], expected(Id, of[in], of[out], in == out))
                << "operator " << static_cast<int>(Id) << ", from type " << in << " to " << out;
        }
    }
}

TEST(Permitted, IsWhatTheTableSays)
{
    check_operator<operator_id::sum>();
    check_operator<operator_id::prod>();
    check_operator<operator_id::min>();
    check_operator<operator_id::max>();
    check_operator<operator_id::bit_and>();
    check_operator<operator_id::bit_or>();
    check_operator<operator_id::bit_xor>();
    check_operator<operator_id::logical_and>();
    check_operator<operator_id::logical_or>();
    check_operator<operator_id::affine>();
    check_operator<operator_id::min_loc>();
    check_operator<operator_id::max_loc>();
}

TEST(Permitted, KnowsBothNamesOf64BitIntegers)
{
    static_assert(std::is_same_v<kernel_type_t<long long>, std::int64_t>);
    static_assert(std::is_same_v<kernel_type_t<const unsigned long long>, std::uint64_t>);
    static_assert(std::is_same_v<kernel_type_t<long>, std::int64_t>);
    static_assert(std::is_same_v<kernel_type_t<located<long long>>, located<std::int64_t>>);
    static_assert(std::is_same_v<kernel_type_t<affine_map<long long>>, affine_map<std::int64_t>>);
    static_assert(sizeof(located<long long>) == sizeof(located<std::int64_t>));
}

template <operator_id Id, class T>
std::uint64_t bits_of_lowered(std::uint64_t bits)
{
    using word = detail::bits_of_t<T>;
    const auto nan = std::bit_cast<T>(static_cast<word>(bits));
    const located<T> found = algebra<Id, T, T, located<T>>{}.lower({nan, 3, 0});
    EXPECT_EQ(found.index, 3);
    return std::bit_cast<word>(found.value);
}

// A NaN that a search finds is the one NaN, whatever sign and payload went in.
TEST(Searches, GiveTheCanonicalNaN)
{
    for (const std::uint64_t bits : {0x7fc00000U, 0xffc00000U, 0x7fc12345U, 0xff812345U}) {
        EXPECT_EQ((bits_of_lowered<operator_id::min_loc, float>(bits)), 0x7fc00000U);
        EXPECT_EQ((bits_of_lowered<operator_id::max_loc, float>(bits)), 0x7fc00000U);
    }
    for (const std::uint64_t bits : {0xfff8000000000000U, 0x7ff8000000000001U, 0xfff4000000000000U}) {
        EXPECT_EQ((bits_of_lowered<operator_id::min_loc, double>(bits)), 0x7ff8000000000000U);
        EXPECT_EQ((bits_of_lowered<operator_id::max_loc, double>(bits)), 0x7ff8000000000000U);
    }
}

} // namespace
} // namespace rankfold::test
