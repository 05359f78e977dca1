// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/nccl_communicator.hpp"

#include "runtime/device_runtime.hpp"
#include "runtime/mpi_check.hpp"
#include "runtime/nccl_check.hpp"
#include "watch/run_with_deadline.hpp"

#include <algorithm>

namespace rankfold::detail {

void throw_nccl_error(ncclResult_t code, const char* what)
{
    throw error(errc::backend, error_origin::nccl, code, -1,
                std::string(what) + ": " + ncclGetErrorString(code) + " (" + ncclGetLastError(nullptr) + ")");
}

nccl_versions versions_of_nccl()
{
    int runtime = 0;
    ncclGetVersion(&runtime);
    return {NCCL_VERSION_CODE, runtime};
}

namespace {

/// After that NCCL is left behind: it may wait for ranks that are gone.
constexpr double end_s = 10;

/// Rank 0's, or why it has none.
struct invitation {
    ncclResult_t status;
    ncclUniqueId id;
};

ncclUniqueId agree_on_id(MPI_Comm comm, int rank)
{
    invitation from{};
    if (rank == 0) {
        from.status = ncclGetUniqueId(&from.id);
    }
    RANKFOLD_MPI(MPI_Bcast(&from, sizeof from, MPI_BYTE, 0, comm));
    if (from.status != ncclSuccess) {
        throw_nccl_error(from.status, "ncclGetUniqueId on rank 0");
    }
    // Some MPIs leave a broadcast half sent until the next call: nobody enters NCCL before all have the id.
    RANKFOLD_MPI(MPI_Barrier(comm));
    return from.id;
}

/// What a step in a thread of its own leaves behind.
struct made_in_thread {
    ncclComm_t comm = nullptr;
};

/// Ends a communicator that other ranks have not, and tells why.
[[noreturn]] void give_up(const made_in_thread& made, bool own_is_done,
                          const std::vector<deadline_result>& results, const char* step)
{
    if (own_is_done && made.comm != nullptr) {
        returns_in_time([comm = made.comm] { ncclCommAbort(comm); }, end_s);
    }
    const auto first = std::find_if(results.begin(), results.end(),
                                    [](const auto& result) { return !result.problem.empty(); });
    throw error(errc::backend, error_origin::nccl, 0, static_cast<int>(first - results.begin()),
                std::string(step) + ": " + problems_of(results));
}

using make_function = std::function<ncclResult_t(ncclComm_t*)>;

ncclComm_t make_together(MPI_Comm comm, int device, double seconds, const char* step,
                         const make_function& make)
{
    int rank = 0;
    RANKFOLD_MPI(MPI_Comm_rank(comm, &rank));
    const auto made = std::make_shared<made_in_thread>();
    const auto action = [made, device, step, make] {
        const device_runtime::guard current(device);
        if (const ncclResult_t status = make(&made->comm); status != ncclSuccess) {
            throw_nccl_error(status, step);
        }
    };
    const auto results = run_with_deadline(comm, action, seconds);
    if (!problems_of(results).empty()) {
        const bool own_is_done = results[static_cast<std::size_t>(rank)].how == deadline_result::state::done;
        give_up(*made, own_is_done, results, step);
    }
    return made->comm;
}

} // namespace

nccl_communicator::nccl_communicator(MPI_Comm comm, int device, double seconds)
{
    int rank = 0;
    int size = 0;
    RANKFOLD_MPI(MPI_Comm_rank(comm, &rank));
    RANKFOLD_MPI(MPI_Comm_size(comm, &size));
    const ncclUniqueId id = agree_on_id(comm, rank);
    comm_ = make_together(comm, device, seconds, "ncclCommInitRank",
                          [=](ncclComm_t* made) { return ncclCommInitRank(made, size, id, rank); });
}

nccl_communicator::nccl_communicator(const nccl_communicator& parent, MPI_Comm comm, int device, int colour,
                                     int key, double seconds)
{
    const int wanted = colour < 0 ? NCCL_SPLIT_NOCOLOR : colour;
    comm_ = make_together(comm, device, seconds, "ncclCommSplit",
                          [whole = parent.handle(), wanted, key](ncclComm_t* made) {
                              return ncclCommSplit(whole, wanted, key, made, nullptr);
                          });
}

nccl_communicator::~nccl_communicator()
{
    if (ncclComm_t comm = comm_.exchange(nullptr)) {
        returns_in_time([comm] { ncclCommDestroy(comm); }, end_s);
    }
}

const char* nccl_communicator::asynchronous_error() const noexcept
{
    ncclComm_t comm = handle();
    ncclResult_t status = ncclSuccess;
    if (comm != nullptr) {
        ncclCommGetAsyncError(comm, &status);
    }
    return status == ncclSuccess || status == ncclInProgress ? nullptr : ncclGetErrorString(status);
}

bool nccl_communicator::abort(double seconds) noexcept
{
    ncclComm_t comm = comm_.exchange(nullptr);
    return comm == nullptr || returns_in_time([comm] { ncclCommAbort(comm); }, seconds);
}

} // namespace rankfold::detail
