// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cub_sum.cuh"
#include "ranks.cuh"

#include "rankfold/reduce.hpp"

namespace rankfold::bench {
namespace {

template <class T>
struct reduction {
    using type = T;
    static constexpr peak against = peak::read;
    static constexpr double traffic = 1;
    static constexpr int arrays = 1;

    static std::int64_t results(std::int64_t /*count*/) { return 1; }
    static std::int64_t last_value(const group& ranks, std::int64_t first, std::int64_t count)
    {
        return ranks.sum(host_sum(first, count));
    }

    static side own(const party& all, const T* input, std::int64_t count)
    {
        const shared_memory result = share_memory(sizeof(T));
        const auto plan =
            std::make_shared<reduce_plan<T>>(all.own, sum, reduce_plan_options<T>{.max_count = count});
        return {"own",
                [=, stream = all.device.stream] {
                    plan->execute(input, count, result->as<T>(), {.stream = stream});
                },
                result};
    }

    static side composed(const party& all, const T* input, std::int64_t count)
    {
        const shared_memory partial = share_memory(sizeof(T));
        const shared_memory result = share_memory(sizeof(T));
        return {
            "cub+nccl",
            [=, local = cub_sum(all.device, input, count, partial), comm = all.nccl->comm(),
             stream = all.device.stream] {
                local();
                check(ncclAllReduce(partial->data(), result->data(), 1, nccl_type<T>, ncclSum, comm, stream),
                      "ncclAllReduce");
            },
            result};
    }

    static side staged(const party& all, const T* input, std::int64_t count)
    {
        const shared_memory partial = share_memory(sizeof(T));
        const shared_memory result = share_memory(sizeof(T));
        return {"mpi",
                [=, local = cub_sum(all.device, input, count, partial), host = staging<T>(all.device, 1),
                 comm = all.ranks.comm()] {
                    local();
                    MPI_Allreduce(host.fetch(partial->as<T>()), host.combined(), 1, mpi_type<T>(), MPI_SUM,
                                  comm);
                    host.send_combined(result->as<T>());
                },
                result};
    }
};

} // namespace

std::vector<contest> reduce_contests(const party& all)
{
    return contests_of<reduction>(all);
}

} // namespace rankfold::bench
