// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/doctor.hpp"

#include "doctor/cpu_quota.hpp"
#include "modes.hpp"
#include "node/job_launcher.hpp"
#include "process/launch_error.hpp"
#include "process/program.hpp"
#include "topology/binding.hpp"
#include "topology/error.hpp"
#include "topology/load.hpp"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <filesystem>
#include <set>
#include <sstream>
#include <sys/statvfs.h>
#include <unistd.h>

namespace rankfold::launcher {
namespace {

// The version that a shared library reports through a function of the form int f(int*); 0 if there is none.
int library_version(const std::vector<const char*>& names, const char* function)
{
    for (const char* name : names) {
        void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr)
            continue;
        int version = 0;
        const auto ask = reinterpret_cast<int (*)(int*)>(dlsym(library, function));
        if (ask != nullptr && ask(&version) == 0)
            return version;
    }
    return 0;
}

std::vector<std::string> library_folders(const environment& variables)
{
    std::vector<std::string> folders;
    if (const std::string* path = find(variables, "LD_LIBRARY_PATH")) {
        std::istringstream stream(*path);
        for (std::string folder; std::getline(stream, folder, ':');)
            if (!folder.empty())
                folders.push_back(folder);
    }
    if (const std::string* conda = find(variables, "CONDA_PREFIX"))
        folders.push_back(*conda + "/lib");
    folders.insert(folders.end(), {"/usr/local/cuda/lib64", "/usr/local/lib", "/usr/lib/x86_64-linux-gnu",
                                   "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"});
    return folders;
}

std::vector<std::string> copies_of_nccl(const environment& variables)
{
    std::vector<std::string> copies;
    std::set<std::string> seen;
    for (const std::string& folder : library_folders(variables)) {
        std::error_code failed;
        const std::filesystem::path real = std::filesystem::canonical(folder + "/libnccl.so.2", failed);
        if (!failed && seen.insert(real.string()).second)
            copies.push_back(real.string());
    }
    return copies;
}

long long shared_memory_bytes()
{
    struct statvfs status {};
    if (statvfs("/dev/shm", &status) != 0)
        return -1;
    return static_cast<long long>(status.f_blocks) * static_cast<long long>(status.f_frsize);
}

// Binding to what holds already changes nothing and tells whether it is permitted.
bool memory_policy_permitted(const topology::machine& where)
{
    const topology::binding now = topology::read_binding();
    return topology::bind_thread({now.threads, where.allowed_nodes}).memory_error.empty();
}

void ask_mpi(const options& chosen, const environment& variables, facts& f)
{
    try {
        f.starter = find_mpirun(chosen, variables);
    } catch (const launch_error&) {
        return;
    }
    if (f.starter->kind == mpirun_kind::hydra || f.starter->kind == mpirun_kind::unknown)
        return;
    const std::string text = output_of({"ompi_info", "--parsable", "--all"});
    const std::string key = "mpi_built_with_cuda_support:value:";
    if (const std::size_t at = text.find(key); at != text.npos)
        f.mpi_cuda = text.compare(at + key.size(), 4, "true") == 0;
}

void read_machine(const options& chosen, facts& f)
{
    try {
        options here = chosen;
        here.dry_run = false;
        f.where = choose_machine(here);
        f.memory_policy_permitted = memory_policy_permitted(f.where);
    } catch (const std::runtime_error& error) {
        f.machine_failure = error.what();
    }
}

// Inside a job it is the one that started this process; outside, the one that mpirun would start.
void read_world(const options& chosen, const environment& variables, facts& f)
{
    f.job = find_job(variables);
    if (!f.job && chosen.ranks > 0 && !chosen.command.empty() && f.starter) {
        f.job = started_job{chosen.ranks, f.starter->version, "-n", family_of(f.starter->kind), true};
    }
    try {
        if (!chosen.command.empty()) {
            f.program_mpi = mpi_of_program(resolve_program(chosen.command.front(), variables));
        }
    } catch (const launch_error& error) {
        f.program_failure = error.what();
    }
}

int ranks_of(const options& chosen, const environment& variables)
{
    if (chosen.ranks_per_node > 0 || chosen.ranks > 0)
        return chosen.ranks_per_node > 0 ? chosen.ranks_per_node : chosen.ranks;
    const auto position = find_position(variables);
    return position ? position->size : 0;
}

} // namespace

facts gather_facts(const options& chosen, const environment& variables)
{
    facts f;
    read_machine(chosen, f);
    f.driver = topology::ask_driver();
    f.runtime_version = RANKFOLD_RUNTIME_VERSION; // of this build; 0 without CUDA
    if (f.runtime_version == 0)
        f.runtime_version =
            library_version({"libcudart.so", "libcudart.so.13", "libcudart.so.12"}, "cudaRuntimeGetVersion");
    f.nccl = copies_of_nccl(variables);
    f.nccl_version = library_version({"libnccl.so.2"}, "ncclGetVersion");
    if (const std::string* visible = find(variables, "CUDA_VISIBLE_DEVICES")) {
        f.visible_devices_set = true;
        f.visible_devices = *visible;
    }
    f.ranks = ranks_of(chosen, variables);
    if (f.ranks == 0)
        f.ranks = static_cast<int>(std::max<std::size_t>(1, f.driver.gpus.size()));
    f.cpu_quota = cpu_quota();
    f.shared_memory_bytes = shared_memory_bytes();
    f.root = geteuid() == 0;
    f.root_permitted =
        find(variables, "OMPI_ALLOW_RUN_AS_ROOT") && find(variables, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM");
    ask_mpi(chosen, variables, f);
    read_world(chosen, variables, f);
    if (const std::string* threads = find(variables, "OMP_NUM_THREADS")) {
        f.omp_num_threads = *threads;
    }
    return f;
}

} // namespace rankfold::launcher
