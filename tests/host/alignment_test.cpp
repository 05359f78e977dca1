// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Start offsets, guards around the data, and elements aligned to no more than their members.
#include "host_backend/builtin.hpp"
#include "rankfold/host/tuning.hpp"
#include "runner.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace rankfold::test {
namespace {

constexpr std::int64_t guard = 64;

/// `count` elements of `value` at every alignment, with poison on both sides.
template <class T>
class guarded {
public:
    guarded(std::int64_t count, int offset, T value, T poison)
        : storage_(static_cast<std::size_t>(count + offset + 2 * guard), poison), begin_(guard + offset),
          count_(count), poison_(poison)
    {
        std::fill_n(data(), count, value);
    }
    [[nodiscard]] T* data() { return storage_.data() + begin_; }
    [[nodiscard]] const std::vector<T>& storage() const { return storage_; }
    [[nodiscard]] bool intact() const
    {
        const auto same = [this](const T& e) { return std::memcmp(&e, &poison_, sizeof(T)) == 0; };
        return std::all_of(storage_.begin(), storage_.begin() + begin_, same) &&
               std::all_of(storage_.begin() + begin_ + count_, storage_.end(), same);
    }

private:
    std::vector<T> storage_;
    std::int64_t begin_;
    std::int64_t count_;
    T poison_;
};

template <class T>
T poison_of()
{
    if constexpr (rankfold::detail::is_floating<T>) {
        return T(std::numeric_limits<float>::quiet_NaN());
    } else {
        return T{127};
    }
}

/// BC-13: ones at every start offset; the sums are what `Wide` makes of 1..n.
template <class T, class Wide>
void check_offsets(std::int64_t n)
{
    const auto op = *host::find_operation(operator_id::sum, element_type_of<T>, element_type_of<Wide>);
    const T one = static_cast<T>(1);
    std::vector<Wide> first;
    for (int k = 0; k < 16; ++k) {
        guarded<T> x(n, k, one, poison_of<T>());
        guarded<Wide> y(n, (k * 7) % 16, Wide{}, poison_of<Wide>());

        const std::span<const T> piece(x.data(), static_cast<std::size_t>(n));
        EXPECT_EQ((run_reduce<T, Wide>(op, {piece})), static_cast<Wide>(n));
        run_scan<T, Wide>(op, x.data(), y.data(), n, {.threads = 2, .inclusive = k % 2 == 0}, Wide(k % 2));

        for (std::int64_t i = 0; i < n; ++i) {
            ASSERT_EQ(y.data()[i], static_cast<Wide>(i + 1)) << "offset " << k << " index " << i;
        }
        EXPECT_TRUE(x.intact() && y.intact()) << k;
    }
}

template <class T, class Wide>
void check_all_sizes()
{
    for (const std::int64_t n : {1, 3, 31, 32, 33, 255, 4097, 1000003}) {
        check_offsets<T, Wide>(n);
    }
}

TEST(Alignment, EveryStartOffsetOfInt8)
{
    check_all_sizes<std::int8_t, std::int64_t>();
}
TEST(Alignment, EveryStartOffsetOfInt16)
{
    check_all_sizes<std::int16_t, std::int32_t>();
}
TEST(Alignment, EveryStartOffsetOfInt32)
{
    check_all_sizes<std::int32_t, std::int32_t>();
}
TEST(Alignment, EveryStartOffsetOfHalf)
{
    check_all_sizes<float16, float>();
}
TEST(Alignment, EveryStartOffsetOfFloat)
{
    check_all_sizes<float, float>();
}
TEST(Alignment, EveryStartOffsetOfDouble)
{
    check_all_sizes<double, double>();
}

TEST(Alignment, InPlaceAtEveryOffsetLeavesGuards)
{
    const auto op = *host::find_operation(operator_id::sum, element_type::uint8, element_type::uint8);
    for (int k = 0; k < 16; ++k) {
        const std::int64_t n = 1000003;
        guarded<std::uint8_t> x(n, k, 1, 127);

        run_scan<std::uint8_t, std::uint8_t>(op, x.data(), x.data(), n);

        for (std::int64_t i = 0; i < n; ++i) {
            ASSERT_EQ(x.data()[i], static_cast<std::uint8_t>(i + 1));
        }
        EXPECT_TRUE(x.intact());
    }
}

TEST(Alignment, ResultsWrittenPastTheCacheLeaveGuards)
{
    const auto op = *host::find_operation(operator_id::sum, element_type::float32, element_type::float32);
    const std::int64_t n = static_cast<std::int64_t>(host::past_cache_bytes / sizeof(float)) + 1001;
    for (const int k : {0, 1, 3, 8}) {
        for (const bool inclusive : {true, false}) {
            guarded<float> x(n, 16 - k, 1.0F, poison_of<float>());
            guarded<float> y(n, k, 0.0F, poison_of<float>());

            run_scan<float, float>(op, x.data(), y.data(), n, {.inclusive = inclusive}, 1.0F);

            const float first = inclusive ? 2.0F : 1.0F; // all below 2^24: exact
            std::int64_t wrong = 0;
            for (std::int64_t i = 0; i < n; ++i) {
                wrong += y.data()[i] != first + static_cast<float>(i);
            }
            EXPECT_EQ(wrong, 0);
            EXPECT_TRUE(x.intact() && y.intact());
        }
    }
}

TEST(Alignment, ComplexDoubleAtEightBytes) // BC-16
{
    const auto op =
        *host::find_operation(operator_id::sum, element_type::complex128, element_type::complex128);
    using value = complex<double>;
    const std::int64_t n = 1001;
    alignas(16) double storage[2 * n + 1];
    std::fill(std::begin(storage), std::end(storage), 1.0);
    auto* x = reinterpret_cast<value*>(storage + 1);

    const auto total = run_reduce<value, value>(op, {std::span<const value>(x, n)});
    run_scan<value, value>(op, x, x, n);

    EXPECT_EQ(total, (value{1001, 1001}));
    for (int i = 0; i < n; ++i) {
        ASSERT_EQ(x[i], (value{i + 1.0, i + 1.0}));
    }
}

} // namespace
} // namespace rankfold::test
