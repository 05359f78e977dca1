// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of a contest across ranks that all kinds share.
#pragma once

#include "cub_call.hpp"
#include "inputs.cuh"
#include "ranks.hpp"

#include <cstring>

namespace rankfold::bench {

// float32, float64 and int32.
template <class T>
inline constexpr ncclDataType_t nccl_type = ncclInt32;
template <>
inline constexpr ncclDataType_t nccl_type<float> = ncclFloat32;
template <>
inline constexpr ncclDataType_t nccl_type<double> = ncclFloat64;

template <class T>
MPI_Datatype mpi_type()
{
    return std::is_same_v<T, float> ? MPI_FLOAT : std::is_same_v<T, double> ? MPI_DOUBLE : MPI_INT32_T;
}

/// Host memory between a GPU and MPI. Partials and what comes back have a place each, so that a copy to the
/// GPU still under way is not written over.
template <class T>
class staging {
public:
    staging(const gpu& device, std::size_t count)
        : memory_(std::make_shared<pinned_memory>(2 * count * sizeof(T))), count_(count),
          stream_(device.stream)
    {
    }
    /// Waits for what is on the stream before.
    const T* fetch(const T* values) const
    {
        copy(partials(), values);
        check(cudaStreamSynchronize(stream_), "staging");
        return partials();
    }
    [[nodiscard]] T* combined() const { return partials() + count_; }
    void send_combined(T* values) const { copy(values, combined()); }

private:
    [[nodiscard]] T* partials() const { return memory_->as<T>(); }
    void copy(T* to, const T* from) const
    {
        check(cudaMemcpyAsync(to, from, count_ * sizeof(T), cudaMemcpyDefault, stream_), "staging");
    }

    std::shared_ptr<pinned_memory> memory_;
    std::size_t count_;
    cudaStream_t stream_;
};

/// Folds the partials of the lower ranks, `count` a rank, into as many carries.
template <class T>
__global__ void carry_kernel(const T* gathered, int rank, int count, T* carries)
{
    const int i = static_cast<int>(threadIdx.x);
    if (i < count) {
        T sum{};
#pragma unroll 8
        for (int r = 0; r < rank; ++r) {
            sum += gathered[r * count + i];
        }
        carries[i] = sum;
    }
}

/// Gathers `count` partials of each rank by NCCL and folds those of the lower ranks: all that a composition
/// needs to carry on.
template <class T>
action carry_by_nccl(const party& all, const T* partials, int count, const shared_memory& carries)
{
    const shared_memory gathered =
        share_memory(static_cast<std::size_t>(all.ranks.size() * count) * sizeof(T));
    return [=, comm = all.nccl->comm(), rank = all.ranks.rank(), stream = all.device.stream] {
        check(ncclAllGather(partials, gathered->data(), static_cast<std::size_t>(count), nccl_type<T>, comm,
                            stream),
              "ncclAllGather");
        carry_kernel<<<1, 64, 0, stream>>>(gathered->as<T>(), rank, count, carries->as<T>());
        check(cudaGetLastError(), "carry_kernel");
    };
}

/// The sum of the elements `first` ... `first` + `count` - 1 of the global array.
inline std::int64_t host_sum(std::int64_t first, std::int64_t count)
{
    std::int64_t sum = 0;
    for (std::int64_t i = first; i < first + count; ++i) {
        sum += small_integer<std::int32_t>{}(static_cast<std::uint32_t>(i));
    }
    return sum;
}

/// The whole number as the last bytes of a result.
template <class T>
std::vector<std::byte> ending_of(std::int64_t value)
{
    const T last = static_cast<T>(value);
    std::vector<std::byte> bytes(sizeof(T));
    std::memcpy(bytes.data(), &last, sizeof(T));
    return bytes;
}

/// Own, composed and staged sides of a kind `Kind` over T: `own(party, input, count)` and so on.
template <class Kind>
match match_of(const party& all, std::int64_t count)
{
    using T = typename Kind::type;
    const std::int64_t first = all.ranks.rank() * count;
    match result{.input = make_input<T>(all.device, first, count),
                 .result = {{0, static_cast<std::size_t>(Kind::results(count)) * sizeof(T)}},
                 .ending = ending_of<T>(Kind::last_value(all.ranks, first, count))};
    const T* input = result.input->template as<T>();
    result.sides.push_back(Kind::own(all, input, count));
    result.sides.back().capturable = all.own.transport() != transport::mpi;
    if (all.nccl != nullptr) {
        result.sides.push_back(Kind::composed(all, input, count));
    }
    result.sides.push_back(Kind::staged(all, input, count));
    result.sides.back().capturable = false;
    return result;
}

template <class Kind>
contest contest_of(const party& all, const char* type)
{
    return {.type = type,
            .op = "sum",
            .element_bytes = sizeof(typename Kind::type),
            .against = Kind::against,
            .traffic = Kind::traffic,
            .arrays = Kind::arrays,
            .compiled = true,
            .prepare = [all](std::int64_t count) { return match_of<Kind>(all, count); }};
}

/// A kind over the types that all three sides know.
template <template <class> class Kind>
std::vector<contest> contests_of(const party& all)
{
    return {contest_of<Kind<float>>(all, "float32"), contest_of<Kind<double>>(all, "float64"),
            contest_of<Kind<std::int32_t>>(all, "int32")};
}

} // namespace rankfold::bench
