// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operators made from lambdas, in a file that nvcc does not see: for the host backend.
#include "rankfold/rankfold.hpp"
#include "rankfold/user_operator.hpp"
#include "support/expect.hpp"
#include "support/matrix.hpp"

#include <numeric>

namespace rankfold::test {
namespace {

TEST(Lambda, IsAnOperatorOfTheHostBackendOnly)
{
    communicator comm(MPI_COMM_WORLD);
    std::vector<int> x(1000);
    std::iota(x.begin(), x.end(), 1000 * world_rank());
    const int bits = 0xffff;
    const auto call = [&] {
        return all_reduce(comm, user_operator([bits](int a, int b) { return (a ^ b) & bits; }, commutative),
                          std::span(x));
    };
    int expected = 0;
    for (int i = 0; i < 1000 * world_size(); ++i) {
        expected ^= i;
    }

    if (comm.backend() == backend::host) {
        EXPECT_EQ(call(), expected);
    } else {
        EXPECT_TRUE(fails_with(errc::usage, {"not compiled for backend cuda", "user_operator.hpp"},
                               [&] { static_cast<void>(call()); }));
    }
}

TEST(Lambda, MayBeNamedAndKept)
{
    const operation largest =
        user_operator([](double a, double b) { return a < b ? b : a; }, named("largest"))
            .over<float, double>();

    EXPECT_EQ(largest.input, element_type::float32);
    EXPECT_EQ(largest.output, element_type::float64);
    EXPECT_FALSE(largest.has_identity);
    EXPECT_NE(largest.host.scan, nullptr);
    EXPECT_EQ(largest.device.scan, nullptr);
}

} // namespace
} // namespace rankfold::test
