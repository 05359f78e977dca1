// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operators made from functors in one line. With CUDA nvcc compiles this file, for both backends.
#include "rankfold/rankfold.hpp"
#include "rankfold/user_operator.hpp"
#include "support/backend_data.hpp"
#include "support/expect.hpp"
#include "support/matrix.hpp"

namespace rankfold::test {

/// The one that is farther from zero.
struct farther {
    RANKFOLD_HOST_DEVICE double operator()(double a, double b) const
    {
        return (a < 0 ? -a : a) < (b < 0 ? -b : b) ? b : a;
    }
};

/// The last multiple of a divisor, else the last number: associative, not commutative.
struct last_multiple {
    std::int64_t divisor;
    RANKFOLD_HOST_DEVICE std::int64_t operator()(std::int64_t a, std::int64_t b) const
    {
        return b % divisor == 0 || a % divisor != 0 ? b : a;
    }
    [[nodiscard]] std::uint64_t fingerprint() const { return static_cast<std::uint64_t>(divisor); }
};

struct add {
    template <class T>
    RANKFOLD_HOST_DEVICE T operator()(T a, T b) const
    {
        return a + b;
    }
};

/// A bfloat16 in, a struct out.
struct extremes {
    float low;
    float high;
    extremes() = default;
    RANKFOLD_HOST_DEVICE explicit extremes(float x) : low(x), high(x) {}
    friend bool operator==(const extremes&, const extremes&) = default;
};
struct join_extremes {
    RANKFOLD_HOST_DEVICE extremes operator()(const extremes& l, const extremes& r) const
    {
        extremes both = l;
        both.low = r.low < l.low ? r.low : l.low;
        both.high = l.high < r.high ? r.high : l.high;
        return both;
    }
};

namespace {

class Functor : public testing::Test {
protected:
    communicator comm_{MPI_COMM_WORLD};
};

std::vector<std::int64_t> numbers(std::int64_t begin, std::int64_t count)
{
    std::vector<std::int64_t> x;
    for (std::int64_t i = begin; i < begin + count; ++i) {
        x.push_back(static_cast<std::int64_t>(scrambled(static_cast<std::uint64_t>(i)) % 1000));
    }
    return x;
}

TEST_F(Functor, ReducesInOneLine)
{
    for_every_layout<double>([&](const layout& where) {
        const std::vector<double> x = piece_of(global_array<double>(where.total), where);
        double expected = 0;
        for (const double e : global_array<double>(where.total)) {
            expected = farther{}(expected, e);
        }

        const double all =
            all_reduce(comm_, user_operator(farther{}, identity(0.0), commutative), std::span(x));
        const auto at_root = reduce(comm_, user_operator(farther{}, identity(0.0)), std::span(x), 0);

        // The first of two that are equally far is another one where the operator is said to commute.
        EXPECT_EQ(std::abs(all), std::abs(expected));
        EXPECT_EQ(at_root, world_rank() == 0 ? std::optional(expected) : std::nullopt);
    });
}

TEST_F(Functor, ThatDoesNotCommuteScansInOrder)
{
    const auto op = user_operator(last_multiple{7}, identity(std::int64_t{-1}));
    for_every_layout<std::int64_t>([&](const layout& where) {
        const std::vector<std::int64_t> all = numbers(0, where.offset + where.count);
        const std::vector<std::int64_t> x = numbers(where.offset, where.count);
        std::vector<std::int64_t> upto(x.size());
        std::vector<std::int64_t> below(x.size());

        inclusive_scan(comm_, op, std::span(x), std::span(upto));
        exclusive_scan(comm_, op, std::span(x), std::span(below));

        std::int64_t running = -1;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::int64_t before = running;
            running = i == 0 ? all[0] : last_multiple{7}(running, all[i]);
            const auto begin = static_cast<std::size_t>(where.offset);
            if (i >= begin) {
                ASSERT_EQ(upto[i - begin], running) << i;
                ASSERT_EQ(below[i - begin], before) << i;
            }
        }
    });
}

TEST_F(Functor, MakesPlansOfEveryKind)
{
    const auto op = user_operator(add{}, commutative, identity(0));
    reduce_plan<std::int32_t, long long> sums(comm_, op);
    scan_plan<long long> scans(comm_, exclusive, op, {.max_count = 1000, .init = 5LL});
    exscan_plan<std::int32_t> prefixes(comm_, op);
    const array<std::int32_t> ones = to_backend(comm_, std::vector<std::int32_t>(1000, 1));
    array<long long> wide = to_backend(comm_, std::vector<long long>(1000, 1LL << 40));
    array<long long> sum(comm_, 1);
    array<std::int32_t> prefix(comm_, 1);

    sums.execute(ones.data(), 1000, sum.data(), on_stream(comm_));
    scans.execute(wide.data(), wide.data(), 1000, on_stream(comm_));
    prefixes.execute(ones.data(), prefix.data(), on_stream(comm_));

    EXPECT_EQ(first_of(comm_, sum), 1000LL * world_size());
    EXPECT_EQ(first_of(comm_, prefix), world_rank());
    EXPECT_EQ(to_host(comm_, wide).back(), 5 + (1000LL * world_rank() + 999) * (1LL << 40));
}

TEST_F(Functor, OverBfloat16IsFoldedInFloat)
{
    const std::vector<bfloat16> x(1000, bfloat16(1.0F)); // in bfloat16 a sum of ones stays at 256
    const auto op = user_operator(add{}, commutative, identity(0.0F));

    const bfloat16 narrow = all_reduce(comm_, op, std::span(x));
    const float wide = all_reduce<float>(comm_, op, std::span(x));

    EXPECT_EQ(static_cast<float>(narrow), static_cast<float>(bfloat16(1000.0F * world_size())));
    EXPECT_EQ(wide, 1000.0F * world_size());
}

TEST_F(Functor, OverBfloat16IntoAStructKeepsEveryBit)
{
    std::vector<bfloat16> x;
    for (int bits = 0; bits < 1 << 16; ++bits) { // every number that there is, from a rank's place on
        bfloat16 b;
        b.bits = static_cast<std::uint16_t>(bits + 5000 * world_rank());
        if (const float value = b; value == value) {
            x.push_back(b);
        }
    }

    const extremes found = all_reduce<extremes>(comm_, user_operator(join_extremes{}, commutative),
                                                std::span(x), {.init = extremes(0.0F)});

    const float infinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(found.low, -infinity);
    EXPECT_EQ(found.high, infinity);
}

TEST_F(Functor, WithoutIdentityNeedsInitWhereNothingIsBefore)
{
    std::vector<double> x(10);

    EXPECT_TRUE(fails_with(errc::usage, {"identity", "init"}, [&] {
        exclusive_scan(comm_, user_operator(farther{}), std::span(x), std::span(x));
    }));
    EXPECT_TRUE(fails_with(errc::usage, {"empty on all ranks", "identity", "init"}, [&] {
        static_cast<void>(all_reduce(comm_, user_operator(farther{}), std::span(x).first(0)));
    }));
}

TEST(OperatorHash, TellsTypesNamesAndFingerprintsApart)
{
    const auto hash = [](const auto& op) { return op.template over<std::int64_t>().operator_hash; };
    const std::uint64_t plain = hash(user_operator(last_multiple{7}));

    EXPECT_EQ(plain, hash(user_operator(last_multiple{7})));
    EXPECT_NE(plain, hash(user_operator(last_multiple{8})));
    EXPECT_NE(plain, hash(user_operator(last_multiple{7}, named("multiples"))));
    EXPECT_NE(plain, hash(user_operator(last_multiple{7}, commutative)));
    EXPECT_NE(plain, hash(user_operator(add{})));
    EXPECT_NE(plain, (user_operator(last_multiple{7}).over<std::int32_t, std::int64_t>().operator_hash));
}

} // namespace
} // namespace rankfold::test
