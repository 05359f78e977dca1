// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a communicator comes to be and ends: duplicate, gather facts, choose the path the same way on every
// rank, set it up.
#include "affinity.hpp"
#include "check.hpp"
#include "parts.hpp"

#include "rankfold/version.hpp"

#include <algorithm>
#include <new>
#include <set>
#include <unistd.h>

namespace rankfold::detail {
namespace {

MPI_Comm duplicate(mpi_handle handle)
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
    RANKFOLD_MPI(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    return comm;
}

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
void add_device_facts(rank_facts& facts, const settings& asked, MPI_Comm node)
{
    std::string why_none = "backend host was asked for";
    if (asked.backend != rankfold::backend::host) {
        facts.devices = device_runtime::count(why_none);
    }
    put(facts.no_device, why_none);
    const int nearest = nearest_gpu(node, facts.devices);
    if (facts.devices == 0) {
        return;
    }
    facts.device = asked.device.empty() ? nearest : device_runtime::find(asked.device);
    const device_runtime::properties gpu = device_runtime::query(facts.device);
    put(facts.gpu_name, gpu.name);
    put(facts.gpu_bus_id, gpu.bus_id);
    put(facts.gpu_uuid, gpu.uuid);
}

/// Facts of this rank; what is wrong with it becomes a problem, so that all ranks hear of it. Collective over
/// `node`.
rank_facts own_facts(const settings& asked, std::string problem, MPI_Comm node)
{
    rank_facts facts{};
    facts.device = -1;
    facts.pid = getpid();
    put(facts.host, host_name());
    put(facts.library_version, RANKFOLD_VERSION);
    facts.backend = asked.backend;
    facts.transport = asked.transport;
    facts.fake_nodes = asked.fake_nodes;
    facts.timeout_s = asked.timeout_s;
    facts.begin_us = std::chrono::duration_cast<std::chrono::microseconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
    const core_share share = share_cores(node, asked.omp_threads);
    facts.threads = share.threads;
    facts.starved = share.starved;
    try {
        add_device_facts(facts, asked, node);
    } catch (const error& failure) {
        problem = problem.empty() ? failure.text() : problem;
    }
    const nccl_versions nccl = versions_of_nccl();
    facts.nccl_build = nccl.build;
    facts.nccl_runtime = nccl.runtime;
    put(facts.locality, describe_locality(facts.device));
    put(facts.problem, problem);
    return facts;
}

} // namespace

communicator_state::communicator_state(mpi_handle handle, const communicator_options& options)
{
    const auto start = std::chrono::steady_clock::now();
    MPI_Comm comm = duplicate(handle);
    RANKFOLD_MPI(MPI_Comm_rank(comm, &rank));
    RANKFOLD_MPI(MPI_Comm_size(comm, &size));

    // From here to choose_path nothing throws on one rank alone: problems travel with the facts.
    std::string problem;
    settings asked;
    try {
        asked = resolve_settings(options);
        parts_ = std::make_unique<communicator_parts>(asked);
    } catch (const error& failure) {
        problem = failure.text();
        asked = settings{};
        parts_ = std::make_unique<communicator_parts>(asked);
    }
    communicator_parts& parts = *parts_;
    parts.comm = comm;
    parts.log.set_rank(rank);
    MPI_Comm node_comm = MPI_COMM_NULL;
    RANKFOLD_MPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node_comm));
    const std::vector<int> numbers = number_nodes(comm, node_comm, rank, size);
    const rank_facts own = own_facts(asked, problem, node_comm);
    parts.progress = std::make_unique<progress_board>(node_comm, rank);
    RANKFOLD_MPI(MPI_Comm_free(&node_comm));
    parts.facts.resize(static_cast<std::size_t>(size));
    RANKFOLD_MPI(MPI_Allgather(&own, sizeof own, MPI_BYTE, parts.facts.data(), sizeof own, MPI_BYTE, comm));
    for (std::size_t r = 0; r < parts.facts.size(); ++r) {
        parts.facts[r].node = numbers[r];
    }
    pretend_nodes(parts.facts);
    for (const rank_facts& facts : parts.facts) {
        nodes = std::max(nodes, facts.node + 1);
    }
    node = parts.facts[static_cast<std::size_t>(rank)].node;
    threads = own.threads;
    choice_of_path path;
    try {
        path = choose_path(parts.facts);
    } catch (...) {
        MPI_Comm_free(&parts.comm);
        throw;
    }
    set_up(path);
    int provided = 0;
    RANKFOLD_MPI(MPI_Query_thread(&provided));
    parts.main_thread_only = provided < MPI_THREAD_SERIALIZED;
    const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
    description = describe_table(parts.facts, path, spent.count(), parts.device_bytes());
    if (rank == 0 && !path.warning.empty()) {
        parts.log.write(log_level::warn, path.warning);
    }
    if (rank == 0) {
        parts.log.write(log_level::info, description);
    }
}

void communicator_state::set_up(choice_of_path& path)
{
    communicator_parts& parts = *parts_;
    backend = path.backend;
    transport = path.transport;
    parts.gather = std::make_unique<host_gather>(parts.comm, rank, size);
    if (on_gpu()) {
        set_up_device(path);
    }
    parts.dog = std::make_unique<watchdog>(
        parts.asked.warn_s, parts.asked.timeout_s, parts.log,
        watchdog::hooks{
            .waiting_for = [this](std::uint64_t call) { return waiting_for(call); },
            .under_way = [&parts] { return parts.marks ? parts.marks->under_way() : std::nullopt; },
            .call = [&parts](std::uint64_t number) { return parts.flight.call(number); },
            .end_queue = [this](std::uint64_t call) { end_queue(call); },
        });
}

communicator_state::~communicator_state()
{
    communicator_parts& parts = *parts_;
    parts.progress->close();
    parts.dog.reset();
    const bool failed = status() != errc::success;
    if (on_gpu()) {
        release_device(failed);
    }
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (finalised) {
        parts.log.write(log_level::warn,
                        "a communicator was destroyed after MPI_Finalize; destroy it before");
    } else if (failed) {
        // Peers may be gone: freeing could wait for them, and farewells may still be under way.
        parts.log.write(log_level::info, "a failed communicator's MPI resources are leaked");
        static_cast<void>(new (std::nothrow)
                              std::list<communicator_parts::farewell>(std::move(parts.farewells)));
    } else {
        for (auto& farewell : parts.farewells) {
            MPI_Waitall(static_cast<int>(farewell.requests.size()), farewell.requests.data(),
                        MPI_STATUSES_IGNORE);
        }
        MPI_Comm_free(&parts.comm);
    }
}

place communicator_state::place_on(CUstream_st* stream, std::uint64_t number) const noexcept
{
    return {.stream = stream,
            .threads = threads,
            .multiprocessors = parts_->gpu.multiprocessors,
            .coexist = parts_->asked.coexist,
            .failure = {.word = parts_->failure,
                        .mirror = parts_->failure_mirror,
                        .call = static_cast<std::uint32_t>(number)}};
}

} // namespace rankfold::detail
