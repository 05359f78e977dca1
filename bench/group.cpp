// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "group.hpp"

#include <set>
#include <string>

namespace rankfold::bench {

group::group(MPI_Comm comm) : comm_(comm)
{
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
}

double group::largest(double mine) const
{
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, comm_);
    return mine;
}

std::int64_t group::sum(std::int64_t mine) const
{
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_SUM, comm_);
    return mine;
}

std::int64_t group::sum_below(std::int64_t mine) const
{
    std::int64_t below = 0; // what MPI leaves on rank 0
    MPI_Exscan(&mine, &below, 1, MPI_INT64_T, MPI_SUM, comm_);
    return below;
}

bool group::all(bool mine) const
{
    return sum(mine ? 1 : 0) == size_;
}

bool group::all_different(const void* mine, std::size_t bytes) const
{
    std::string values(bytes * static_cast<std::size_t>(size_), '\0');
    const int count = static_cast<int>(bytes);
    MPI_Allgather(mine, count, MPI_BYTE, values.data(), count, MPI_BYTE, comm_);
    std::set<std::string> seen;
    for (std::size_t at = 0; at < values.size(); at += bytes) {
        seen.insert(values.substr(at, bytes));
    }
    return static_cast<int>(seen.size()) == size_;
}

} // namespace rankfold::bench
