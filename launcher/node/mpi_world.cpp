// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The names of MPI libraries tell their family: Open MPI is libmpi.so.40, before 3.0 libmpi.so.20;
// those with MPICH's binary interface are libmpi*.so.12, libmpich.so.12.
#include "node/mpi_world.hpp"

#include "process/program.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace rankfold::launcher {
namespace {

struct job_variables {
    const char* starter;
    const char* tasks;
    const char* also; // must be set too: another starter has the same variable for tasks; nullptr: nothing
    std::optional<mpi_family> family;
};

// An inner starter before the ones that may surround it.
constexpr std::array jobs{
    job_variables{"Open MPI", "OMPI_COMM_WORLD_SIZE", nullptr, mpi_family::open_mpi},
    job_variables{"MPICH", "PMI_SIZE", "MPI_LOCALNRANKS", mpi_family::mpich},
    job_variables{"MVAPICH", "MV2_COMM_WORLD_SIZE", nullptr, mpi_family::mpich},
    job_variables{"Flux", "FLUX_JOB_SIZE", "FLUX_TASK_RANK", std::nullopt},
    job_variables{"Slurm", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", std::nullopt},
    job_variables{"PMI", "PMI_SIZE", nullptr, std::nullopt},
};

std::optional<mpi_family> family_of(std::string_view library)
{
    if (library.starts_with("libmpi.so.40") || library.starts_with("libmpi.so.20")) {
        return mpi_family::open_mpi;
    }
    const bool of_mpich =
        library.starts_with("libmpich") || (library.starts_with("libmpi") && library.ends_with(".so.12"));
    return of_mpich ? std::optional(mpi_family::mpich) : std::nullopt;
}

bool has_process_manager(const environment& variables)
{
    return std::any_of(variables.begin(), variables.end(), [](const auto& variable) {
        return variable.first.starts_with("PMI_") || variable.first.starts_with("PMI2_") ||
               variable.first.starts_with("PMIX_");
    });
}

} // namespace

const char* name_of(mpi_family family)
{
    switch (family) {
    case mpi_family::open_mpi:
        return "Open MPI";
    case mpi_family::mpich:
        return "MPICH";
    }
    return "";
}

std::optional<linked_mpi> find_mpi(std::string_view text)
{
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string library;
        words >> library;
        if (const std::optional<mpi_family> family = family_of(library)) {
            return linked_mpi{*family, library};
        }
    }
    return std::nullopt;
}

std::optional<linked_mpi> mpi_of_program(const std::string& file)
{
    return find_mpi(output_of({"ldd", file}));
}

std::optional<started_job> find_job(const environment& variables)
{
    for (const job_variables& names : jobs) {
        const std::string* text = find(variables, names.tasks);
        const std::optional<int> tasks = text == nullptr ? std::nullopt : parse_whole_number(*text);
        if (tasks && (names.also == nullptr || find(variables, names.also) != nullptr)) {
            return started_job{*tasks, names.starter, names.tasks, names.family,
                               has_process_manager(variables)};
        }
    }
    return std::nullopt;
}

std::string why_alone(const started_job& job, const std::optional<linked_mpi>& program)
{
    const std::string started =
        std::to_string(job.tasks) + " tasks started by " + job.starter + " (" + job.variable + "), ";
    const std::string alone = ": each task would be a world of 1 rank";
    if (job.tasks > 1 && job.family && program && program->family != *job.family) {
        return started + "and the program is linked with " + name_of(program->family) + " (" +
               program->library + ")" + alone;
    }
    if (job.tasks > 1 && !job.family && !job.process_manager) {
        return started + "which offers neither PMI nor PMIx to MPI" + alone;
    }
    return "";
}

} // namespace rankfold::launcher
