// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A user's operators over bfloat16, as a functor and as an algebra, for both backends; run here on the host
// backend.
#include <rankfold/mpi.hpp>
#include <rankfold/rankfold.hpp>
#include <rankfold/user_operator.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

struct larger {
    RANKFOLD_HOST_DEVICE float operator()(float a, float b) const { return a < b ? b : a; }
};

/// The sum of squares. Lifted, it would be contracted with the sum where compilers may.
struct squares : rankfold::value_algebra<rankfold::bfloat16, double> {
    static constexpr bool commutative = true;
    static constexpr bool has_identity = true;
    RANKFOLD_HOST_DEVICE double lift(rankfold::bfloat16 x, std::int64_t /*index*/) const
    {
        const double value = static_cast<float>(x);
        return value * value;
    }
    RANKFOLD_HOST_DEVICE double combine(double l, double r) const { return l + r; }
    RANKFOLD_HOST_DEVICE double identity() const { return 0; }
};

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int wrong = 0;
    {
        rankfold::communicator comm(MPI_COMM_WORLD);
        const std::vector<rankfold::bfloat16> x(1000,
                                                rankfold::bfloat16(1.5F + static_cast<float>(comm.rank())));
        const float largest = rankfold::all_reduce<float>(
            comm, rankfold::user_operator(larger{}, rankfold::identity(-INFINITY)), std::span(x));
        const double sum =
            rankfold::all_reduce<double>(comm, rankfold::make_operation(squares{}), std::span(x));
        double expected = 0;
        for (int rank = 0; rank < comm.size(); ++rank) {
            expected += 1000 * (1.5 + rank) * (1.5 + rank);
        }
        std::printf("rank %d: largest %g, sum of squares %g\n", comm.rank(), largest, sum);
        wrong = largest != 0.5F + static_cast<float>(comm.size()) || sum != expected;
    }
    MPI_Finalize();
    return wrong;
}
