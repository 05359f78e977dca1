// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which MPI a program is linked with, who started it, and whether they belong together.
#include "node/mpi_world.hpp"

#include <gtest/gtest.h>

namespace rankfold::launcher {
namespace {

std::string as_ldd_prints(const std::string& library)
{
    return "\tlinux-vdso.so.1 (0x00007ffc4b5f2000)\n\tlibmpi_cxx_not.so.1 => not found\n\t" + library +
           " => /usr/lib/x86_64-linux-gnu/" + library +
           " (0x00007f0d3c000000)\n\tlibc.so.6 => /lib/libc.so.6 (0x00007f0d3b000000)\n";
}

std::string family_of(const std::string& library)
{
    const auto found = find_mpi(as_ldd_prints(library));
    return found ? std::string(name_of(found->family)) + " " + found->library : "none";
}

TEST(LinkedMpi, IsKnownByTheNameOfItsLibrary)
{
    EXPECT_EQ(family_of("libmpi.so.40"), "Open MPI libmpi.so.40");
    EXPECT_EQ(family_of("libmpi.so.20"), "Open MPI libmpi.so.20");
    EXPECT_EQ(family_of("libmpich.so.12"), "MPICH libmpich.so.12");
    EXPECT_EQ(family_of("libmpi.so.12"), "MPICH libmpi.so.12");
    EXPECT_EQ(family_of("libmpi_gnu_123.so.12"), "MPICH libmpi_gnu_123.so.12");
    EXPECT_EQ(family_of("libm.so.6"), "none");
    EXPECT_FALSE(find_mpi("\tnot a dynamic executable\n"));
    EXPECT_FALSE(mpi_of_program("/nonexistent"));
    EXPECT_FALSE(mpi_of_program("/bin/sh"));
}

struct known_job {
    environment variables;
    const char* starter;
    bool process_manager;
};

TEST(Job, IsReadFromTheVariablesOfItsStarter)
{
    const environment open_mpi{{"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_RANK", "2"}};
    environment in_slurm = open_mpi;
    in_slurm["SLURM_STEP_NUM_TASKS"] = "2"; // one daemon on each of two nodes
    in_slurm["SLURM_PROCID"] = "0";
    for (const known_job& known :
         {known_job{open_mpi, "Open MPI", true}, known_job{in_slurm, "Open MPI", true},
          known_job{{{"PMI_SIZE", "4"}, {"PMI_RANK", "2"}, {"MPI_LOCALNRANKS", "4"}}, "MPICH", true},
          known_job{{{"MV2_COMM_WORLD_SIZE", "4"}}, "MVAPICH", false},
          known_job{{{"FLUX_JOB_SIZE", "4"}, {"FLUX_TASK_RANK", "2"}, {"PMI_SIZE", "4"}}, "Flux", true},
          known_job{{{"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_PROCID", "2"}}, "Slurm", false},
          known_job{
              {{"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_PROCID", "2"}, {"PMIX_RANK", "2"}}, "Slurm", true},
          known_job{{{"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_PROCID", "2"}, {"PMI_SIZE", "4"}}, "Slurm", true},
          known_job{{{"PMI_SIZE", "4"}}, "PMI", true}}) {
        const auto job = find_job(known.variables);

        ASSERT_TRUE(job) << known.starter;
        EXPECT_EQ(job->starter, known.starter);
        EXPECT_EQ(job->tasks, 4);
        EXPECT_EQ(job->process_manager, known.process_manager) << known.starter;
    }
    EXPECT_FALSE(find_job({{"SLURM_NTASKS", "4"}, {"SLURM_JOB_ID", "7"}})) << "a batch script is no task";
    EXPECT_FALSE(find_job({{"OMPI_COMM_WORLD_SIZE", "four"}}));
    EXPECT_FALSE(find_job({}));
}

TEST(World, OfOneRankForEachTaskIsForeseen)
{
    const started_job open_mpi{4, "Open MPI", "OMPI_COMM_WORLD_SIZE", mpi_family::open_mpi, true};
    const started_job slurm{4, "Slurm", "SLURM_STEP_NUM_TASKS", std::nullopt, false};
    started_job one = open_mpi;
    one.tasks = 1;
    started_job with_pmix = slurm;
    with_pmix.process_manager = true;
    const linked_mpi mpich{mpi_family::mpich, "libmpich.so.12"};
    const linked_mpi same{mpi_family::open_mpi, "libmpi.so.40"};

    EXPECT_NE(why_alone(open_mpi, mpich), "");
    EXPECT_NE(why_alone(slurm, mpich), "");
    EXPECT_NE(why_alone(slurm, std::nullopt), "");
    EXPECT_EQ(why_alone(open_mpi, same), "");
    EXPECT_EQ(why_alone(open_mpi, std::nullopt), "");
    EXPECT_EQ(why_alone(one, mpich), "");
    EXPECT_EQ(why_alone(with_pmix, mpich), "");
}

} // namespace
} // namespace rankfold::launcher
