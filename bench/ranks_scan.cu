// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Exclusive, since CUB takes a carry from device memory for exclusive scans only.
#include "cub_sum.cuh"
#include "ranks.cuh"

#include "rankfold/scan.hpp"

#include <cub/device/device_scan.cuh>

namespace rankfold::bench {
namespace {

template <class T>
struct exclusive_sum {
    using type = T;
    static constexpr peak against = peak::copy;
    static constexpr double traffic = 3; // nothing can be written before the lower ranks have read everything
    static constexpr int arrays = 4;

    static std::int64_t results(std::int64_t count) { return count; }
    static std::int64_t last_value(const group& ranks, std::int64_t first, std::int64_t count)
    {
        const std::int64_t before_last = host_sum(first, count - 1);
        return ranks.sum_below(before_last + host_sum(first + count - 1, 1)) + before_last;
    }

    static side own(const party& all, const T* input, std::int64_t count)
    {
        const shared_memory result = share_array<T>(count);
        const auto plan =
            std::make_shared<scan_plan<T>>(all.own, exclusive, sum, scan_plan_options<T>{.max_count = count});
        return {"own",
                [=, stream = all.device.stream] {
                    plan->execute(input, result->as<T>(), count, {.stream = stream});
                },
                result};
    }

    static side composed(const party& all, const T* input, std::int64_t count)
    {
        const shared_memory partial = share_memory(sizeof(T));
        const shared_memory carry = share_memory(sizeof(T));
        const shared_memory result = share_array<T>(count);
        const action scan_on = cub_call([=, stream = all.device.stream](void* workspace, std::size_t& bytes) {
            return cub::DeviceScan::ExclusiveScan(workspace, bytes, input, result->as<T>(),
                                                  ::cuda::std::plus<T>{}, cub::FutureValue<T>(carry->as<T>()),
                                                  count, stream);
        });
        return {"cub+nccl",
                [=, local = cub_sum(all.device, input, count, partial),
                 exchange = carry_by_nccl(all, partial->as<T>(), 1, carry)] {
                    local();
                    exchange();
                    scan_on();
                },
                result};
    }

    static side staged(const party& all, const T* input, std::int64_t count)
    {
        const shared_memory partial = share_memory(sizeof(T));
        const shared_memory result = share_array<T>(count);
        const staging<T> host(all.device, 1);
        const action scan_on = cub_call([=, stream = all.device.stream](void* workspace, std::size_t& bytes) {
            return cub::DeviceScan::ExclusiveScan(workspace, bytes, input, result->as<T>(),
                                                  ::cuda::std::plus<T>{}, *host.combined(), count, stream);
        });
        return {"mpi",
                [=, local = cub_sum(all.device, input, count, partial), comm = all.ranks.comm()] {
                    local();
                    MPI_Exscan(host.fetch(partial->as<T>()), host.combined(), 1, mpi_type<T>(), MPI_SUM,
                               comm);
                    scan_on(); // the carry goes with the launch
                },
                result};
    }
};

} // namespace

std::vector<contest> scan_contests(const party& all)
{
    return contests_of<exclusive_sum>(all);
}

} // namespace rankfold::bench
