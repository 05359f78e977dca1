// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "setup/starter.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace rankfold::detail {
namespace {

struct starter {
    const char* name;
    const char* task;
    const char* tasks; ///< null: it does not tell
};

constexpr std::array starters{
    starter{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    starter{"MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    starter{"JSM", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE"},
    starter{"PMI", "PMI_RANK", "PMI_SIZE"},
    starter{"PMIx", "PMIX_RANK", nullptr},
    starter{"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
    starter{"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
    starter{"Slurm", "SLURM_PROCID", "SLURM_NTASKS"},
};

std::optional<int> number_in(const char* variable)
{
    const char* value = variable == nullptr ? nullptr : std::getenv(variable);
    const std::string_view text = value == nullptr ? "" : value;
    int number = -1;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = status == std::errc() && end == text.data() + text.size() && number >= 0;
    return whole ? std::optional(number) : std::nullopt;
}

/// How many tasks were started, as far as this starter tells.
std::optional<int> tasks_of(const starter& which)
{
    const std::optional<int> task = number_in(which.task);
    const std::optional<int> tasks = number_in(which.tasks);
    if (!task) {
        return std::nullopt;
    }
    // The script of a Slurm job is task 0 of its own, and is told how many a step of the job may have.
    const bool script = std::string_view("SLURM_NTASKS") == (which.tasks ? which.tasks : "") && *task == 0 &&
                        std::getenv("SLURM_STEP_ID") == nullptr;
    return script ? std::nullopt : which.tasks == nullptr ? std::optional(*task + 1) : tasks;
}

} // namespace

std::string advice_on_starter(int world_ranks)
{
    const starter* found = nullptr;
    for (const starter& candidate : starters) {
        const int tasks = tasks_of(candidate).value_or(0);
        if (tasks == 1 && candidate.tasks != nullptr) {
            return {}; // a world of one rank was asked for, within whatever others tell
        }
        if (tasks > 1 && found == nullptr) {
            found = &candidate;
        }
    }
    if (world_ranks != 1 || found == nullptr) {
        return {};
    }
    const std::string least = found->tasks == nullptr ? "at least " : "";
    const std::string tasks = least + std::to_string(*tasks_of(*found));
    return tasks +
           " tasks were started, MPI_COMM_WORLD has 1 rank: the program was linked with another MPI than the "
           "one that starts it, and every task computes alone (" +
           found->name + ": this is task " + std::getenv(found->task) + " of " + tasks +
           "); start it with the mpiexec of its own MPI, or link it with the other";
}

} // namespace rankfold::detail
