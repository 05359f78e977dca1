// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whether the MPI of a program can find the tasks that were started. If it cannot, each task is a world of
// its own, and each prints the result of one.
#pragma once

#include "process/environment.hpp"

namespace rankfold::launcher {

/// MPIs of one family have one way to meet: mpich stands for MPICH, Intel MPI, MVAPICH, Cray MPICH.
enum class mpi_family { open_mpi, mpich };

const char* name_of(mpi_family family);

/// The MPI library that a program is linked with.
struct linked_mpi {
    mpi_family family;
    std::string library; ///< "libmpi.so.40"
};

/// @param text  what ldd prints
std::optional<linked_mpi> find_mpi(std::string_view text);

/// By ldd; nothing for scripts, for programs that load their MPI later (Python), and where there is no ldd.
std::optional<linked_mpi> mpi_of_program(const std::string& file);

/// A job as its starter describes it to each task.
struct started_job {
    int tasks;
    std::string starter;              ///< "Slurm"
    std::string variable;             ///< where the number of tasks was read
    std::optional<mpi_family> family; ///< of a starter that belongs to an MPI
    bool process_manager;             ///< PMI or PMIx are there, by which an MPI finds the other tasks
};

/// From the variables of Open MPI, MPICH, MVAPICH, Flux, Slurm, PMI; nothing outside of a job.
std::optional<started_job> find_job(const environment& variables);

/// Why each task of the job would be a world of its own, as far as can be seen from outside; else empty.
std::string why_alone(const started_job& job, const std::optional<linked_mpi>& program);

} // namespace rankfold::launcher
