// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ranks.cuh"

#include "rankfold/exscan.hpp"

namespace rankfold::bench {
namespace {

/// Here a piece is the values of a rank.
template <class T>
struct prefix_over_ranks {
    using type = T;
    static constexpr peak against = peak::none;
    static constexpr double traffic = 0;
    static constexpr int arrays = 1;

    static std::int64_t results(std::int64_t count) { return count; }
    static std::int64_t last_value(const group& ranks, std::int64_t first, std::int64_t count)
    {
        return ranks.sum_below(host_sum(first + count - 1, 1));
    }

    static side own(const party& all, const T* values, std::int64_t count)
    {
        const shared_memory result = share_array<T>(count);
        const auto plan = std::make_shared<exscan_plan<T>>(
            all.own, sum, exscan_plan_options<T>{.values = static_cast<int>(count)});
        return {
            "own",
            [=, stream = all.device.stream] { plan->execute(values, result->as<T>(), {.stream = stream}); },
            result};
    }

    static side composed(const party& all, const T* values, std::int64_t count)
    {
        const shared_memory result = share_array<T>(count);
        return {"cub+nccl", carry_by_nccl(all, values, static_cast<int>(count), result), result};
    }

    static side staged(const party& all, const T* values, std::int64_t count)
    {
        const shared_memory result = share_array<T>(count);
        return {"mpi",
                [=, host = staging<T>(all.device, static_cast<std::size_t>(count)), comm = all.ranks.comm()] {
                    MPI_Exscan(host.fetch(values), host.combined(), static_cast<int>(count), mpi_type<T>(),
                               MPI_SUM, comm);
                    host.send_combined(result->as<T>());
                },
                result};
    }
};

} // namespace

std::vector<contest> exscan_contests(const party& all)
{
    return contests_of<prefix_over_ranks>(all);
}

} // namespace rankfold::bench
