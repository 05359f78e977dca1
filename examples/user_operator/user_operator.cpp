// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operators of one's own: mean and variance of the whole array, and of everything up to each element of it.
// Compiled by a C++ compiler this program runs on the host backend; compiled by nvcc, as it stands, on both.
#include <rankfold/mpi.hpp>
#include <rankfold/rankfold.hpp>
#include <rankfold/user_operator.hpp>

#include <cstdio>
#include <vector>

/// Of some numbers: how many, their mean, and the sum of squared differences from it. One number is
/// converted.
struct moments {
    double count = 0;
    double mean = 0;
    double squares = 0;

    moments() = default;
    RANKFOLD_HOST_DEVICE explicit moments(float x) : count(1), mean(x) {}
    [[nodiscard]] double variance() const { return squares / count; }
};

/// Those of two sets of numbers (T. F. Chan, G. H. Golub, R. J. LeVeque, Updating Formulae and a Pairwise
/// Algorithm for Computing Sample Variances, 1979).
struct join {
    RANKFOLD_HOST_DEVICE moments operator()(const moments& l, const moments& r) const
    {
        moments both;
        both.count = l.count + r.count;
        if (both.count > 0) {
            const double step = r.mean - l.mean;
            const double share = r.count / both.count;
            both.mean = l.mean + step * share;
            both.squares = l.squares + r.squares + step * step * l.count * share;
        }
        return both;
    }
};

/// The numbers 0, 1, 2, ... dealt out to the ranks in pieces of 1000, 1001, ...
std::vector<float> piece_of(int rank)
{
    std::vector<float> piece(static_cast<std::size_t>(1000 + rank));
    float next = 1000.0F * static_cast<float>(rank) + static_cast<float>(rank * (rank - 1) / 2);
    for (float& x : piece) {
        x = next++;
    }
    return piece;
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    {
        rankfold::communicator comm(MPI_COMM_WORLD);
        const std::vector<float> piece = piece_of(comm.rank());
        std::vector<moments> running(piece.size());

        const auto joined =
            rankfold::user_operator(join{}, rankfold::commutative, rankfold::identity(moments{}));
        const moments all = rankfold::all_reduce<moments>(comm, joined, std::span(piece));
        rankfold::inclusive_scan(comm, joined, std::span(piece), std::span(running));

        std::printf("rank %d: %.0f numbers, mean %.3f, variance %.3f; up to the last of mine: mean %.3f\n",
                    comm.rank(), all.count, all.mean, all.variance(), running.back().mean);
    }
    MPI_Finalize();
}
