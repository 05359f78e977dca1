// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/doctor.hpp"

#include "support.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace rankfold::launcher::testing {
namespace {

// A node with nothing wrong: two GPUs, four cores, ordinary user.
facts healthy()
{
    facts f;
    f.where = topology::load_synthetic("package:1 core:4 pu:1");
    f.driver = {.library_found = true,
                .version = 12080,
                .gpus = {{.bus_id = "0000:01:00.0"}, {.bus_id = "0000:02:00.0"}}};
    f.driver.peer_access = {{true, true}, {true, true}};
    f.driver.exclusive = {false, false};
    f.where.gpus = f.driver.gpus;
    f.runtime_version = 12040;
    f.nccl = {"/usr/lib/libnccl.so.2.21"};
    f.nccl_version = 22105;
    f.ranks = 2;
    f.shared_memory_bytes = 1LL << 30;
    f.starter =
        mpirun{.file = "mpirun", .kind = mpirun_kind::open_mpi_4, .version = "mpirun (Open MPI) 4.1.4"};
    f.mpi_cuda = true;
    return f;
}

finding find_about(const facts& f, const std::string& part)
{
    for (const finding& found : diagnose(f))
        if (found.what.find(part) != std::string::npos)
            return found;
    ADD_FAILURE() << "nothing about '" << part << "' in\n" << to_text(diagnose(f));
    return {};
}

void expect(const facts& f, severity level, const std::string& what, const std::string& remedy)
{
    const finding found = find_about(f, what);
    EXPECT_EQ(found.level, level) << what;
    EXPECT_NE(found.remedy.find(remedy), std::string::npos) << found.remedy;
}

TEST(Doctor, FindsNothingOnAHealthyNode)
{
    for (const finding& found : diagnose(healthy()))
        EXPECT_EQ(found.level, severity::good) << found.what;
    EXPECT_NE(to_text(diagnose(healthy())).find("0 problems"), std::string::npos);
}

TEST(Doctor, NamesEachTroubleWithItsRemedy)
{
    facts f = healthy();
    f.driver = {.failure = "the CUDA driver library libcuda.so.1 was not found"};
    expect(f, severity::note, "no GPU can be used", "host backend");

    f = healthy();
    f.runtime_version = 13000;
    expect(f, severity::problem, "supports CUDA 12.8, the runtime is 13.0", "update the driver");

    f = healthy();
    f.nccl.clear();
    expect(f, severity::note, "NCCL was not found", "install libnccl2");
    f.nccl = {"/a/libnccl.so.2", "/b/libnccl.so.2"};
    expect(f, severity::problem, "2 copies of NCCL: /a/libnccl.so.2, /b/libnccl.so.2", "LD_LIBRARY_PATH");

    f = healthy();
    f.driver.peer_access[0][1] = false;
    expect(f, severity::problem, "no peer access between 0000:01:00.0 and 0000:02:00.0", "container");

    f = healthy();
    f.where.hidden_gpus = {{.bus_id = "0000:03:00.0"}};
    f.visible_devices_set = true;
    f.visible_devices = "0,1";
    expect(f, severity::note, "hidden by CUDA_VISIBLE_DEVICES='0,1': 0000:03:00.0", "see all");

    f = healthy();
    f.ranks = 3;
    expect(f, severity::problem, "3 ranks on 2 GPU(s)", "--share-gpus");
    expect(f, severity::note, "one core each", "two or more cores");
    f.ranks = 5;
    expect(f, severity::problem, "4 usable core(s) for 5 rank(s)", "--oversubscribe");

    f = healthy();
    f.cpu_quota = 1.5;
    expect(f, severity::problem, "the time of 1.5 cores and shows 4", "cpu.max");
    f = healthy();
    f.where.allowed_threads = {0, 1, 3};
    expect(f, severity::note, "3 of 4 hardware threads are permitted: 0-1,3", "cgroup");

    f = healthy();
    f.memory_policy_permitted = false;
    expect(f, severity::note, "memory binding is not permitted", "set_mempolicy");

    f = healthy();
    f.shared_memory_bytes = 64 << 20;
    expect(f, severity::problem, "/dev/shm has 64 MiB", "--shm-size");

    f = healthy();
    f.mpi_cuda = false;
    expect(f, severity::note, "without CUDA support", "harmless");
    f.starter.reset();
    expect(f, severity::problem, "no mpirun", "install Open MPI");

    f = healthy();
    f.root = true;
    expect(f, severity::problem, "root user, whom mpirun refuses", "--allow-run-as-root");
    f.root_permitted = true;
    expect(f, severity::note, "root user", "ordinary user");

    f = healthy();
    f.machine_failure = "HWLOC_XMLFILE=x in the environment replaces this machine";
    expect(f, severity::problem, "HWLOC_XMLFILE=x", "topology");
}

TEST(Doctor, ComparesOpenMpThreadsWithTheCoresOfARank)
{
    facts f = healthy();
    f.where = topology::load_synthetic("package:1 core:8 pu:2");
    f.omp_num_threads = "4";
    expect(f, severity::good, "OMP_NUM_THREADS is 4, and each of 2 rank(s) has 4 core(s)", "");
    f.omp_num_threads = "8,2";
    expect(f, severity::note, "OMP_NUM_THREADS is 8,2", "--smt");
    f.omp_num_threads = "9";
    expect(f, severity::problem, "OMP_NUM_THREADS is 9, and each of 2 rank(s) has 4 core(s)", "unset it");
    for (const char* bad : {"0", "-1", "many", "4 4"}) {
        f.omp_num_threads = bad;
        expect(f, severity::problem, std::string("OMP_NUM_THREADS is ") + bad + ", which is no number",
               "unset it");
    }
}

TEST(Doctor, NoticesAStarterOfAnotherMpi)
{
    facts f = healthy();
    f.job = started_job{4, "Open MPI", "OMPI_COMM_WORLD_SIZE", mpi_family::open_mpi, true};
    expect(f, severity::note, "4 tasks started by Open MPI; with which MPI", "--doctor -- PROGRAM");
    f.program_mpi = linked_mpi{mpi_family::open_mpi, "libmpi.so.40"};
    expect(f, severity::good, "the program is linked with Open MPI (libmpi.so.40), which Open MPI can start",
           "");
    f.program_mpi = linked_mpi{mpi_family::mpich, "libmpich.so.12"};
    expect(f, severity::problem,
           "4 tasks started by Open MPI (OMPI_COMM_WORLD_SIZE), and the program is linked with MPICH "
           "(libmpich.so.12): each task would be a world of 1 rank",
           "the mpirun of the MPI that it is linked with");
    f.job = started_job{4, "Slurm", "SLURM_STEP_NUM_TASKS", std::nullopt, false};
    expect(f, severity::problem, "which offers neither PMI nor PMIx to MPI", "srun --mpi=pmix");
    f.program_failure = "program './a' does not exist";
    expect(f, severity::problem, "program './a' does not exist", "can be started");
}

} // namespace
} // namespace rankfold::launcher::testing
