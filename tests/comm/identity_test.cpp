// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of one kind and type that are nevertheless different calls: an error that says in what they differ,
// on every rank, and no wrong number. And calls that differ in nothing but bytes without a meaning: no error.
#include "rankfold/rankfold.hpp"
#include "rankfold/user_operator.hpp"
#include "support/distributed.hpp"
#include "support/expect.hpp"

#include <cstring>
#include <limits>

namespace rankfold::test {
namespace {

/// Folds to the value nearest to a target.
struct nearest {
    double target = 0;
    double operator()(double a, double b) const
    {
        return std::abs(a - target) <= std::abs(b - target) ? a : b;
    }
    [[nodiscard]] std::uint64_t fingerprint() const { return static_cast<std::uint64_t>(target * 1000); }
};
struct largest {
    double operator()(double a, double b) const { return a < b ? b : a; }
};
struct total {
    double operator()(double a, double b) const { return a + b; }
};

class Identity : public testing::Test {
protected:
    void SetUp() override { RANKFOLD_NEEDS_RANKS(2); }

    /// On every rank, with these words, and whoever goes on finds all ranks in step.
    testing::AssertionResult differ(const std::string& in_what, const std::function<void()>& call)
    {
        const std::optional<error> failure = error_of(call);
        if (!failure || failure->code() != errc::mismatch) {
            return testing::AssertionFailure() << (failure ? failure->what() : "no error was thrown");
        }
        if (std::string(failure->what()).find("they differ in " + in_what) == std::string::npos) {
            return testing::AssertionFailure() << "does not say '" << in_what << "':\n" << failure->what();
        }
        const auto ranks = all_reduce<std::int64_t>(comm_, sum, std::span(&one_, 1));
        return ranks == comm_.size() ? testing::AssertionSuccess()
                                     : testing::AssertionFailure() << "afterwards the sum is " << ranks;
    }

    double sum_of(std::string_view label)
    {
        return all_reduce<double>(comm_, sum, std::span(values_), {}, {.label = label});
    }

    communicator comm_{MPI_COMM_WORLD, {.timeout_s = 30.0}};
    bool odd_one_ = comm_.rank() == comm_.size() - 1;
    std::vector<double> values_ = std::vector<double>(3, 1.0 + comm_.rank());
    std::int32_t one_ = 1;
};

TEST_F(Identity, OfCallsThatRanksSwap)
{
    EXPECT_TRUE(differ("the label", [&] { static_cast<void>(sum_of(odd_one_ ? "energy" : "mass")); }));
    EXPECT_TRUE(differ("the label", [&] { static_cast<void>(sum_of(odd_one_ ? "" : "mass")); }));
}

TEST_F(Identity, OfPlansInAnotherOrder)
{
    reduce_plan<double> mass(comm_, sum);
    reduce_plan<double> energy(comm_, sum);
    double result = 0;
    const auto run = [&](reduce_plan<double>& plan) {
        plan.execute(values_.data(), static_cast<std::int64_t>(values_.size()), &result, {});
    };

    EXPECT_TRUE(differ("the plan", [&] { run(odd_one_ ? energy : mass); }));
    EXPECT_FALSE(error_of([&] { run(mass); }));
    EXPECT_TRUE(differ("the plan", [&] {
        if (odd_one_) {
            static_cast<void>(all_reduce<double>(comm_, sum, std::span(values_)));
        } else {
            run(mass);
        }
    }));
}

TEST_F(Identity, OfUserOperators)
{
    EXPECT_TRUE(differ("the user operator", [&] {
        static_cast<void>(odd_one_
                              ? all_reduce(comm_, user_operator(largest{}, identity(0.0)), std::span(values_))
                              : all_reduce(comm_, user_operator(total{}, identity(0.0)), std::span(values_)));
    }));
}

TEST_F(Identity, OfTheStateOfAnOperator)
{
    const auto call = [&](double target) {
        return all_reduce(comm_, user_operator(nearest{target}, identity(0.0)), std::span(values_));
    };

    EXPECT_TRUE(differ("the user operator", [&] { static_cast<void>(call(odd_one_ ? 2.0 : 1.0)); }));
    EXPECT_EQ(call(1.0), 1.0);
}

TEST_F(Identity, OfTheIdentityOfAnOperator)
{
    EXPECT_TRUE(differ("the user operator", [&] {
        static_cast<void>(
            all_reduce(comm_, user_operator(total{}, identity(odd_one_ ? 1.0 : 0.0)), std::span(values_)));
    }));
}

TEST_F(Identity, OfTheNameOfAnOperator)
{
    const auto call = [&](std::string_view name) {
        return all_reduce(comm_, user_operator(total{}, identity(0.0), named{name}), std::span(values_));
    };

    EXPECT_TRUE(differ("the user operator", [&] { static_cast<void>(call(odd_one_ ? "a" : "b")); }));
}

TEST_F(Identity, CountsValuesOfAnInitAndNotItsBytes)
{
    // What lies between the members differs from rank to rank.
    const auto padded = [&]<class T>(T value) {
        alignas(T) unsigned char bytes[sizeof(T)];
        std::memset(bytes, 0x11 * (1 + comm_.rank()), sizeof bytes);
        auto* const object = new (bytes) T;
        object->value = value.value;
        object->index = value.index;
        return *object;
    };
    const std::vector<std::int8_t> bytes{5, 4, 3};
    const std::vector<float> floats{5, 4, 3};
    const double nan = std::numeric_limits<double>::quiet_NaN();

    EXPECT_FALSE(error_of([&] {
        static_cast<void>(all_reduce<located<std::int8_t>>(comm_, min_loc, std::span(bytes),
                                                           {.init = padded(located<std::int8_t>{3, -1})}));
    }));
    EXPECT_FALSE(error_of([&] {
        static_cast<void>(all_reduce<located<float>>(comm_, min_loc, std::span(floats),
                                                     {.init = padded(located<float>{3, -1})}));
    }));
    EXPECT_FALSE(error_of([&] {
        static_cast<void>(
            all_reduce<double>(comm_, sum, std::span(values_), {.init = odd_one_ ? -0.0 : 0.0}));
    }));
    EXPECT_FALSE(error_of([&] {
        static_cast<void>(
            all_reduce<double>(comm_, sum, std::span(values_), {.init = odd_one_ ? -nan : nan}));
    }));
    EXPECT_TRUE(differ("init or root", [&] {
        static_cast<void>(all_reduce<located<float>>(comm_, min_loc, std::span(floats),
                                                     {.init = located<float>{odd_one_ ? 2.0F : 3.0F, -1}}));
    }));
}

TEST_F(Identity, OfTypesOfAPlanAndItsOperation)
{
    const operation of_doubles =
        make_operation(user_operators::functor_algebra<total, double, double, true>(total{}));
    const auto refused = [&](const std::function<void()>& make) {
        const std::optional<error> failure = error_of(make);
        return failure && failure->code() == errc::usage &&
               std::string(failure->what()).find("takes float64 to float64, the call") != std::string::npos;
    };

    EXPECT_TRUE(refused([&] { const reduce_plan<float> plan(comm_, of_doubles); }));
    EXPECT_TRUE(
        refused([&] { const scan_plan<std::int32_t> plan(comm_, inclusive, of_doubles, {.max_count = 3}); }));
    EXPECT_TRUE(refused([&] { const reduce_plan<double, std::int64_t> plan(comm_, of_doubles); }));
    EXPECT_FALSE(error_of([&] { const reduce_plan<double> plan(comm_, of_doubles); }));
}

} // namespace
} // namespace rankfold::test
