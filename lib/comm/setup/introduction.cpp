// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "setup/introduction.hpp"

#include "runtime/device_runtime.hpp"
#include "runtime/mpi_check.hpp"
#include "setup/affinity.hpp"
#include "transport/nccl_communicator.hpp"

#include "rankfold/version.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <new>
#include <set>
#include <unistd.h>

namespace rankfold::detail {
namespace {

/// Node number of each rank: nodes counted by their lowest rank.
std::vector<int> number_nodes(MPI_Comm comm, MPI_Comm node, int rank, int size)
{
    int leader = rank;
    RANKFOLD_MPI(MPI_Bcast(&leader, 1, MPI_INT, 0, node));
    std::vector<int> leaders(static_cast<std::size_t>(size));
    RANKFOLD_MPI(MPI_Allgather(&leader, 1, MPI_INT, leaders.data(), 1, MPI_INT, comm));
    const std::set<int> distinct(leaders.begin(), leaders.end());
    for (int& l : leaders) {
        l = static_cast<int>(std::distance(distinct.begin(), distinct.find(l)));
    }
    return leaders;
}

/// Collective over `node`.
void add_device_info(rank_info& own, const settings& asked, MPI_Comm node)
{
    std::string why_none = "backend host was asked for";
    if (asked.backend != rankfold::backend::host) {
        own.devices = device_runtime::count(why_none);
    }
    put(own.no_device, why_none);
    const int nearest = nearest_gpu(node, own.devices);
    if (own.devices == 0) {
        return;
    }
    own.device = asked.device.empty() ? nearest : device_runtime::find(asked.device);
    const device_runtime::properties gpu = device_runtime::query(own.device);
    put(own.gpu_name, gpu.name);
    put(own.gpu_bus_id, gpu.bus_id);
    put(own.gpu_uuid, gpu.uuid);
}

/// What is known of this rank; what is wrong with it becomes a problem, so that all ranks hear of it.
/// Collective over `node`.
rank_info own_info(const settings& asked, std::string problem, MPI_Comm node)
{
    rank_info own{};
    own.device = -1;
    own.pid = getpid();
    put(own.host, host_name());
    put(own.library_version, RANKFOLD_VERSION);
    own.backend = asked.backend;
    own.transport = asked.transport;
    own.fake_nodes = asked.fake_nodes;
    own.timeout_s = asked.timeout_s;
    own.coexists = asked.coexist ? std::uint8_t{*asked.coexist} : coexists_by_itself;
    own.begin_us = std::chrono::duration_cast<std::chrono::microseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
    const core_share share = share_cores(node, asked.omp_threads);
    own.threads = share.threads;
    own.starved = share.starved;
    try {
        add_device_info(own, asked, node);
    } catch (const error& failure) {
        problem = problem.empty() ? failure.text() : problem;
    }
    const nccl_versions nccl = versions_of_nccl();
    own.nccl_build = nccl.build;
    own.nccl_runtime = nccl.runtime;
    put(own.locality, describe_locality(own.device));
    put(own.problem, problem);
    return own;
}

} // namespace

owned_comm duplicate(mpi_handle handle)
{
    int initialised = 0;
    int finalised = 0;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    if (!initialised || finalised) {
        throw_usage(std::string("communicator: MPI is ") +
                    (finalised ? "already finalised" : "not initialised") +
                    "; make communicators between MPI_Init and MPI_Finalize");
    }
    const auto parent = handle.as<MPI_Comm>();
    if (parent == MPI_COMM_NULL) {
        throw_usage("communicator: comm is MPI_COMM_NULL, must be an intra-communicator of which this "
                    "process is a member");
    }
    int inter = 0;
    RANKFOLD_MPI(MPI_Comm_test_inter(parent, &inter));
    if (inter) {
        throw_usage("communicator: comm is an inter-communicator, must be an intra-communicator");
    }
    MPI_Comm comm = MPI_COMM_NULL;
    RANKFOLD_MPI(MPI_Comm_dup(parent, &comm));
    owned_comm made(comm);
    RANKFOLD_MPI(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    return made;
}

introduction introduce(MPI_Comm comm, const communicator_options& options)
{
    int rank = 0;
    int size = 0;
    RANKFOLD_MPI(MPI_Comm_rank(comm, &rank));
    RANKFOLD_MPI(MPI_Comm_size(comm, &size));
    introduction all;
    std::string problem;
    try {
        all.asked = resolve_settings(options);
        all.log = std::make_unique<logger>(all.asked.level, all.asked.log_file);
        all.watch = watch_thread::of_process();
    } catch (const error& failure) {
        problem = failure.text();
        all.asked = settings{};
        all.log = std::make_unique<logger>(all.asked.level, all.asked.log_file);
    }
    all.log->set_rank(rank);
    MPI_Comm split = MPI_COMM_NULL;
    RANKFOLD_MPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &split));
    const owned_comm node(split);
    const std::vector<int> numbers = number_nodes(comm, node.get(), rank, size);
    const rank_info own = own_info(all.asked, problem, node.get());
    all.progress = std::make_unique<progress_board>(node.get(), rank);
    all.ranks.resize(static_cast<std::size_t>(size));
    RANKFOLD_MPI(MPI_Allgather(&own, sizeof own, MPI_BYTE, all.ranks.data(), sizeof own, MPI_BYTE, comm));
    for (std::size_t r = 0; r < all.ranks.size(); ++r) {
        all.ranks[r].node = numbers[r];
    }
    pretend_nodes(all.ranks);
    int provided = 0;
    RANKFOLD_MPI(MPI_Query_thread(&provided));
    all.main_thread_only = provided < MPI_THREAD_SERIALIZED;
    return all;
}

namespace {

/// How a step ended on one rank; sent as bytes.
struct step_result {
    errc code = errc::success;
    error_origin origin = error_origin::system;
    std::int32_t native_code = 0;
    std::array<char, 256> problem{};
};

step_result result_of(const std::function<void()>& step) noexcept
{
    step_result result;
    const auto fail = [&](errc code, std::string_view problem) {
        result.code = code;
        put(result.problem, problem);
    };
    try {
        step();
    } catch (const error& failure) {
        fail(failure.code(), failure.text());
        result.origin = failure.origin();
        result.native_code = failure.native_code();
    } catch (const std::bad_alloc&) {
        fail(errc::out_of_memory, "memory was asked for and refused");
    } catch (const std::exception& failure) {
        fail(errc::backend, failure.what());
    }
    return result;
}

} // namespace

void succeed_together(MPI_Comm comm, const std::function<void()>& step)
{
    int rank = 0;
    int size = 0;
    RANKFOLD_MPI(MPI_Comm_rank(comm, &rank));
    RANKFOLD_MPI(MPI_Comm_size(comm, &size));
    std::vector<step_result> results(static_cast<std::size_t>(size));
    const step_result own = result_of(step);
    RANKFOLD_MPI(MPI_Allgather(&own, sizeof own, MPI_BYTE, results.data(), sizeof own, MPI_BYTE, comm));
    const auto bad = std::find_if(results.begin(), results.end(),
                                  [](const step_result& r) { return r.code != errc::success; });
    if (bad != results.end()) {
        const auto first = static_cast<int>(bad - results.begin());
        throw error(bad->code, bad->origin, bad->native_code, first,
                    "communicator: rank " + std::to_string(first) + ": " + bad->problem.data());
    }
}

} // namespace rankfold::detail
