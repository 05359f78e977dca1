// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/doctor.hpp"

#include "modes.hpp"
#include "process/standard_streams.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace rankfold::launcher {
namespace {

using findings = std::vector<finding>;

std::string cuda_version(int version)
{
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

finding judge_driver(const facts& f)
{
    if (!f.driver.failure.empty())
        return {severity::note, "no GPU can be used: " + f.driver.failure,
                "the host backend needs none; for GPUs check nvidia-smi, the container's GPU option and "
                "CUDA_VISIBLE_DEVICES"};
    if (f.runtime_version > f.driver.version)
        return {severity::problem,
                fmt::format("the GPU driver supports CUDA {}, the runtime is {}",
                            cuda_version(f.driver.version), cuda_version(f.runtime_version)),
                "update the driver, or build with CUDA " + cuda_version(f.driver.version) + " or older"};
    return {severity::good, fmt::format("{} GPU(s), the driver supports CUDA {}", f.driver.gpus.size(),
                                        cuda_version(f.driver.version))};
}

finding judge_nccl(const facts& f)
{
    if (f.nccl.empty())
        return {severity::note, "NCCL was not found by the loader",
                "needed only for GPUs on several nodes or without peer access: install libnccl2, or add its "
                "folder to "
                "LD_LIBRARY_PATH"};
    if (f.nccl.size() > 1)
        return {severity::problem,
                fmt::format("{} copies of NCCL: {}", f.nccl.size(), fmt::join(f.nccl, ", ")),
                "two versions in one program corrupt each other: keep the first in LD_LIBRARY_PATH and "
                "remove the others"};
    return {severity::good, fmt::format("one NCCL, {}, version {}", f.nccl.front(), f.nccl_version)};
}

finding judge_peer_access(const facts& f)
{
    std::vector<std::string> missing;
    const auto& peers = f.driver.peer_access;
    for (std::size_t i = 0; i < peers.size(); ++i)
        for (std::size_t j = i + 1; j < peers.size(); ++j)
            if (!peers[i][j] || !peers[j][i])
                missing.push_back(f.driver.gpus[i].bus_id + " and " + f.driver.gpus[j].bus_id);
    if (!missing.empty())
        return {severity::problem, fmt::format("no peer access between {}", fmt::join(missing, "; ")),
                "exchanges go through NCCL or the host: allow it in the container (IPC, no per-rank GPU "
                "hiding) and switch "
                "off ACS or the IOMMU for the GPUs"};
    return {severity::good, "every GPU reaches every other"};
}

finding judge_exclusive(const facts& f)
{
    const bool exclusive =
        std::find(f.driver.exclusive.begin(), f.driver.exclusive.end(), true) != f.driver.exclusive.end();
    if (!exclusive)
        return {severity::good, "GPUs are in the default compute mode"};
    return {severity::note, "a GPU is in exclusive or prohibited compute mode",
            "one process per GPU works; for more: nvidia-smi -c DEFAULT"};
}

finding judge_hidden(const facts& f)
{
    if (f.where.hidden_gpus.empty())
        return {severity::good, "no GPU of this machine is hidden"};
    std::vector<std::string> ids;
    for (const topology::gpu& g : f.where.hidden_gpus)
        ids.push_back(g.bus_id);
    const std::string cause = f.visible_devices_set ? "CUDA_VISIBLE_DEVICES='" + f.visible_devices + "'"
                                                    : "the driver or the container";
    return {severity::note,
            fmt::format("{} GPU(s) hidden by {}: {}", ids.size(), cause, fmt::join(ids, ", ")),
            "GPUs hidden per rank lose peer access: let every rank see all, rankfold-run gives each its own"};
}

finding judge_cores(const facts& f, std::size_t cores)
{
    const auto ranks = static_cast<std::size_t>(std::max(f.ranks, 1));
    const std::string words = fmt::format("{} usable core(s) for {} rank(s)", cores, ranks);
    if (cores < ranks)
        return {severity::problem, words, "start fewer ranks, widen the cgroup, or pass --oversubscribe"};
    if (cores < 2 * ranks)
        return {severity::note, words + ": one core each",
                "the watchdog and NCCL's threads share it: give each rank two or more cores if you can"};
    return {severity::good, words};
}

// OpenMP takes a list, one number for each level: the first counts here.
void judge_openmp(const facts& f, std::size_t cores, findings& all)
{
    if (f.omp_num_threads.empty()) {
        return;
    }
    const std::string given = "OMP_NUM_THREADS is " + f.omp_num_threads;
    const auto threads = parse_whole_number(f.omp_num_threads.substr(0, f.omp_num_threads.find(',')));
    if (!threads || *threads < 1) {
        all.push_back({severity::problem, given + ", which is no number of threads",
                       "unset it: rankfold-run gives each rank one thread for each of its cores"});
        return;
    }
    const auto ranks = static_cast<std::size_t>(std::max(f.ranks, 1));
    const std::size_t share = std::max<std::size_t>(1, cores / ranks);
    const auto hardware =
        std::max<std::size_t>(share, static_cast<std::size_t>(f.where.allowed_threads.count()) / ranks);
    const std::string words = fmt::format("{}, and each of {} rank(s) has {} core(s)", given, ranks, share);
    if (static_cast<std::size_t>(*threads) > hardware) {
        all.push_back(
            {severity::problem, words,
             "threads wait for each other's cores: unset it (rankfold-run then sets it to the cores of "
             "the rank) or lower it"});
    } else if (static_cast<std::size_t>(*threads) > share) {
        all.push_back({severity::note, words + ": hardware threads share cores", "meant with --smt only"});
    } else {
        all.push_back({severity::good, words});
    }
}

finding judge_cgroup(const facts& f)
{
    topology::index_set all;
    for (const topology::core& core : f.where.cores)
        all.insert(core.threads);
    const int permitted = f.where.allowed_threads.count();
    if (f.cpu_quota > 0 && f.cpu_quota < permitted)
        return {severity::problem,
                fmt::format("the cgroup grants the time of {:.1f} cores and shows {} hardware threads",
                            f.cpu_quota, permitted),
                "threads will be stopped and started: raise cpu.max (--cpus of the container), or set "
                "OMP_NUM_THREADS"};
    if (permitted < all.count())
        return {severity::note,
                fmt::format("{} of {} hardware threads are permitted: {}", permitted, all.count(),
                            f.where.allowed_threads.to_string()),
                "the cgroup or the inherited mask leaves out the others; widen it if that is not meant"};
    return {severity::good, "no cgroup limit on processors"};
}

finding judge_memory_policy(const facts& f)
{
    if (f.memory_policy_permitted)
        return {severity::good, "memory binding is permitted"};
    return {severity::note, "memory binding is not permitted here",
            "threads are bound all the same; the container needs CAP_SYS_NICE or a seccomp profile with "
            "set_mempolicy"};
}

finding judge_shared_memory(const facts& f)
{
    constexpr long long mebi = 1 << 20;
    constexpr long long least = 128 * mebi;
    if (f.shared_memory_bytes < 0)
        return {severity::problem, "/dev/shm is missing", "mount a tmpfs there (docker: --shm-size=1g)"};
    const std::string words = fmt::format("/dev/shm has {} MiB", f.shared_memory_bytes / mebi);
    if (f.shared_memory_bytes < least)
        return {severity::problem, words + "; MPI and NCCL may need more than that",
                "docker: --shm-size=1g or --ipc=host; else mount -o remount,size=1g /dev/shm"};
    return {severity::good, words};
}

finding judge_ranks_per_gpu(const facts& f)
{
    const auto gpus = static_cast<int>(f.driver.gpus.size());
    if (gpus == 0 || f.ranks <= gpus)
        return {severity::good, "no GPU is shared by ranks"};
    return {
        severity::problem, fmt::format("{} ranks on {} GPU(s)", f.ranks, gpus),
        fmt::format(
            "NCCL refuses two ranks on one GPU: start {} ranks, or pass --share-gpus and accept the slower "
            "transport",
            gpus)};
}

void judge_mpi(const facts& f, findings& all)
{
    if (!f.starter) {
        all.push_back({severity::problem, "no mpirun in PATH",
                       "install Open MPI or MPICH, or name the starter with --mpirun"});
        return;
    }
    all.push_back({severity::good, "starter: " + f.starter->file + ", " + f.starter->version});
    if (!f.driver.gpus.empty() && f.mpi_cuda == false)
        all.push_back({severity::note, "MPI was built without CUDA support",
                       "harmless: Rankfold hands MPI host memory only"});
    const bool open_mpi =
        f.starter->kind == mpirun_kind::open_mpi_4 || f.starter->kind == mpirun_kind::open_mpi_5;
    if (f.root && open_mpi && !f.root_permitted)
        all.push_back({severity::problem, "this is the root user, whom mpirun refuses",
                       "pass --allow-run-as-root to rankfold-run, or set OMPI_ALLOW_RUN_AS_ROOT=1 and "
                       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
    else if (f.root)
        all.push_back({severity::note, "this is the root user", "run as an ordinary user where you can"});
}

void judge_world(const facts& f, findings& all)
{
    if (!f.program_failure.empty()) {
        all.push_back({severity::problem, f.program_failure, "give a program that can be started"});
        return;
    }
    if (!f.job || f.job->tasks < 2) {
        return;
    }
    if (const std::string why = why_alone(*f.job, f.program_mpi); !why.empty()) {
        all.push_back({severity::problem, why,
                       "start the program with the mpirun of the MPI that it is linked with, or with srun "
                       "--mpi=pmix or --mpi=pmi2 (srun --mpi=list shows which there are)"});
    } else if (!f.program_mpi) {
        all.push_back(
            {severity::note,
             fmt::format("{} tasks started by {}; with which MPI the program is linked is not known",
                         f.job->tasks, f.job->starter),
             "name it: rankfold-run --doctor -- PROGRAM (a script does not tell)"});
    } else {
        all.push_back({severity::good,
                       fmt::format("the program is linked with {} ({}), which {} can start",
                                   name_of(f.program_mpi->family), f.program_mpi->library, f.job->starter)});
    }
}

std::size_t usable_core_count(const topology::machine& where)
{
    return static_cast<std::size_t>(
        std::count_if(where.cores.begin(), where.cores.end(),
                      [&](const topology::core& c) { return c.threads.intersects(where.allowed_threads); }));
}

} // namespace

findings diagnose(const facts& f)
{
    findings all;
    if (!f.machine_failure.empty()) {
        all.push_back({severity::problem, f.machine_failure, "without a topology no rank can be placed"});
    } else {
        all.push_back(judge_cores(f, usable_core_count(f.where)));
        judge_openmp(f, usable_core_count(f.where), all);
        all.push_back(judge_cgroup(f));
        all.push_back(judge_memory_policy(f));
    }
    all.push_back(judge_driver(f));
    if (f.driver.gpus.size() > 1)
        all.push_back(judge_peer_access(f));
    if (!f.driver.gpus.empty()) {
        all.push_back(judge_exclusive(f));
        all.push_back(judge_ranks_per_gpu(f));
    }
    if (f.driver.library_found) {
        all.push_back(judge_hidden(f));
        all.push_back(judge_nccl(f));
    }
    all.push_back(judge_shared_memory(f));
    judge_mpi(f, all);
    judge_world(f, all);
    return all;
}

std::string to_text(const findings& all)
{
    std::string text;
    for (const finding& f : all) {
        const char* level = f.level == severity::good   ? "ok     "
                            : f.level == severity::note ? "note   "
                                                        : "problem";
        text += fmt::format("{}  {}\n", level, f.what);
        if (!f.remedy.empty())
            text += fmt::format("         -> {}\n", f.remedy);
    }
    const auto problems =
        std::count_if(all.begin(), all.end(), [](const finding& f) { return f.level == severity::problem; });
    return text + fmt::format("{} problem{}\n", problems, problems == 1 ? "" : "s");
}

int run_doctor(const options& chosen, const environment& variables)
{
    const findings all = diagnose(gather_facts(chosen, variables));
    print(to_text(all));
    return std::any_of(all.begin(), all.end(), [](const finding& f) { return f.level == severity::problem; })
               ? 1
               : 0;
}

} // namespace rankfold::launcher
