// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Exact sums on the host: whatever way a chunk of numbers takes (few bins, more bins, one by one), and
// however a piece is cut among threads, the record is that of the elements one by one.
#include "exact_add.hpp"
#include "exact_window.hpp"
#include "host_backend/builtin.hpp"
#include "support/exact_sum.hpp"
#include "support/expect.hpp"
#include "support/hard_sums.hpp"

#include <gtest/gtest.h>

#include <array>

namespace rankfold::test {
namespace {

using exact::sum_of_numbers;

constexpr std::array lengths{0, 1, 2, 3, 7, 8, 9, 2047, 2048, 2049, 6000};

/// Arrays in which chunks differ: the window has to rise, to fall, and to give up.
template <class T>
std::vector<std::vector<T>> arrays(int count)
{
    std::mt19937_64 random(41);
    const int top = std::is_same_v<T, double> ? 1024 : std::is_same_v<T, float16> ? 16 : 128;
    const int low = std::is_same_v<T, double> ? -1074 : number_range<T>::lowest;
    std::vector<std::vector<T>> all;
    const auto spread = [&](int powers, int from) {
        std::vector<T> x;
        for (const double value : spread_numbers<double>(random, count, powers, from)) {
            x.push_back(number_of<T>(value));
        }
        return x;
    };
    for (const int powers : {1, 10, 19, 35, 60, 130, 220, 2000}) {
        for (const int from : {0, top, top - 12, low + 10, low + 40, low + 250}) {
            all.push_back(spread(std::min(powers, top - low), std::min(from, top)));
        }
    }
    for (const double each : {1.0, -1.0, 0.0, -0.0}) { // all bits of a bin, in every place
        const double value = each * (2 - std::ldexp(2.0, -number_range<T>::digits));
        all.emplace_back(static_cast<std::size_t>(count), number_of<T>(value));
    }
    std::vector<T> rising = spread(4, 0);
    for (std::size_t i = 0; i < rising.size(); ++i) {
        const int power = static_cast<int>(i / 1024) * (top - 3) / (count / 1024 + 1);
        rising[i] = number_of<T>(std::ldexp(static_cast<double>(rising[i]), power));
    }
    all.push_back(rising);
    std::reverse(rising.begin(), rising.end());
    all.push_back(rising);
    for (const double special : special_numbers()) {
        auto x = spread(3, 1);
        if (!x.empty()) {
            x[x.size() / 2] = number_of<T>(special);
        }
        all.push_back(x);
        auto zeros = std::vector<T>(x.size(), number_of<T>(-0.0));
        if (!x.empty()) {
            zeros.back() = number_of<T>(special);
        }
        all.push_back(zeros);
    }
    return all;
}

template <class T>
void expect_records_of_elements_one_by_one()
{
    for (const int count : lengths) {
        int array = 0;
        for (const std::vector<T>& x : arrays<T>(count)) {
            std::array<sum_of_numbers, 2> expected;
            for (std::size_t i = 0; i < x.size(); ++i) {
                expected[i % 2].add(x[i]);
            }
            sum_of_numbers even;
            sum_of_numbers odd;
            host::add_exactly(x.data(), static_cast<std::int64_t>(x.size()), even, odd);
            ASSERT_TRUE(same_bits(even.to_record(), expected[0].to_record())) << count << ", array " << array;
            if (x.size() % 2 == 0) { // complex numbers have both parts
                ASSERT_TRUE(same_bits(odd.to_record(), expected[1].to_record()))
                    << count << ", array " << array;
            }
            sum_of_numbers both;
            host::add_exactly(x.data(), static_cast<std::int64_t>(x.size()), both, both);
            expected[0].merge(expected[1]);
            ASSERT_TRUE(same_bits(both.to_record(), expected[0].to_record())) << count << ", array " << array;
            ++array;
        }
    }
}

TEST(ExactAdd, MakesTheRecordOfDoublesOneByOne)
{
    expect_records_of_elements_one_by_one<double>();
}
TEST(ExactAdd, MakesTheRecordOfFloatsOneByOne)
{
    expect_records_of_elements_one_by_one<float>();
}
TEST(ExactAdd, MakesTheRecordOfHalvesOneByOne)
{
    expect_records_of_elements_one_by_one<float16>();
}
TEST(ExactAdd, MakesTheRecordOfBfloatsOneByOne)
{
    expect_records_of_elements_one_by_one<bfloat16>();
}

TEST(ExactAdd, AddsHardSums)
{
    for (const hard_case& c : hard_sums(42)) {
        sum_of_numbers sum;
        host::add_exactly(c.values.data(), static_cast<std::int64_t>(c.values.size()), sum, sum);
        EXPECT_TRUE(same_bits(sum.lower<double>(), exact_sum_of<double>(c.values))) << c.name;
    }
}

/// The window by itself, in the vectors that every processor has.
template <int Bins>
void expect_window_says_what_it_holds(std::mt19937_64& random)
{
    int held = 0;
    int not_held = 0;
    for (int trial = 0; trial < 300; ++trial) {
        const int powers = 1 + static_cast<int>(random() % static_cast<unsigned>(Bins * 44));
        const auto x = spread_numbers<double>(random, 256, powers, 100);
        host::detail::window_sums<Bins> sums;
        host::detail::add_in_doubles<Bins>(x.data(), std::ssize(x), 100, sums);
        if (!sums.fits) {
            ++not_held;
            continue;
        }
        ++held;
        exact_sum actual;
        for (const auto& bin : sums.bin) {
            actual.add(bin[0]);
            actual.add(bin[1]);
        }
        ASSERT_TRUE(same_bits(actual.rounded<double>(), exact_sum_of<double>(x)));
    }
    EXPECT_GT(held, 10);
    EXPECT_GT(not_held, 10);
}

TEST(ExactWindow, HoldsTheSumOrSaysThatItDoesNot)
{
    std::mt19937_64 random(43);
    expect_window_says_what_it_holds<2>(random);
    expect_window_says_what_it_holds<3>(random);
    expect_window_says_what_it_holds<6>(random);
}

TEST(ExactReduction, IsTheSameRecordForEveryThreadCount)
{
    std::mt19937_64 random(44);
    const auto x = spread_numbers<double>(random, 100003, 150, 50);
    sum_of_numbers expected;
    for (const double value : x) {
        expected.add(value);
    }
    const operation op = *host::exact_reduction_of(
        *host::find_operation(operator_id::sum, element_type::float64, element_type::float64));
    for (const int threads : {1, 2, 3, 7, 64}) {
        const place here{.threads = threads};
        std::vector<std::byte> workspace(op.host.workspace_bytes(0, here));
        exact::short_sum record;
        sum_of_numbers::record wide;
        op.host.reduce(op,
                       {.input = x.data(),
                        .count = std::ssize(x),
                        .record = reinterpret_cast<std::byte*>(&record),
                        .workspace = workspace.data(),
                        .wide = reinterpret_cast<std::byte*>(&wide)},
                       here);
        EXPECT_TRUE(same_bits(wide, expected.to_record())) << threads;
        EXPECT_TRUE(same_bits(record, expected.to_short())) << threads;
    }
}

} // namespace
} // namespace rankfold::test
