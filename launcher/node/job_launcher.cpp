// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "node/job_launcher.hpp"

#include "process/launch_error.hpp"

#include <array>
#include <vector>

namespace rankfold::launcher {
namespace {

struct job_launcher_variables {
    const char* starter;
    const char* rank;
    const char* size; // nullptr: see size_of
    const char* job;  // nullptr: none
};

constexpr std::array job_launchers{
    job_launcher_variables{"Open MPI", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
                           "PMIX_NAMESPACE"},
    job_launcher_variables{"MPICH", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", nullptr},
    job_launcher_variables{"MVAPICH", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE", nullptr},
    job_launcher_variables{"MVAPICH", "MVP_COMM_WORLD_LOCAL_RANK", "MVP_COMM_WORLD_LOCAL_SIZE", nullptr},
    job_launcher_variables{"JSM", "JSM_NAMESPACE_LOCAL_RANK", "JSM_NAMESPACE_LOCAL_SIZE", "JSM_JSRUN_ID"},
    job_launcher_variables{"PALS", "PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE", "PALS_APID"},
    job_launcher_variables{"PMI", "PMI_LOCAL_RANK", "PMI_LOCAL_SIZE", "PMI_JOBID"},
    job_launcher_variables{"Flux", "FLUX_TASK_LOCAL_ID", nullptr, "FLUX_JOB_ID"},
    job_launcher_variables{"Slurm", "SLURM_LOCALID", nullptr, "SLURM_STEP_ID"},
};

int read_number(const environment& variables, const char* name)
{
    const std::string& text = *find(variables, name);
    const std::optional<int> value = parse_whole_number(text);
    if (!value)
        throw launch_error(std::string(name) + " is '" + text + "', expected a whole number such as 0");
    return *value;
}

int slurm_size(const environment& variables)
{
    for (const char* name : {"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"}) {
        if (const std::string* list = find(variables, name)) {
            const int node = find(variables, "SLURM_NODEID") ? read_number(variables, "SLURM_NODEID") : 0;
            return tasks_on_node(*list, node);
        }
    }
    return 0;
}

// Flux tells the job only; uneven jobs fill the first nodes, so the ceiling is an upper bound.
int flux_size(const environment& variables)
{
    if (!find(variables, "FLUX_JOB_SIZE") || !find(variables, "FLUX_JOB_NNODES"))
        return 0;
    const int nodes = read_number(variables, "FLUX_JOB_NNODES");
    if (nodes < 1)
        throw launch_error("FLUX_JOB_NNODES is '0', expected at least 1");
    return (read_number(variables, "FLUX_JOB_SIZE") + nodes - 1) / nodes;
}

int size_of(const environment& variables, const job_launcher_variables& names)
{
    if (names.size != nullptr)
        return find(variables, names.size) ? read_number(variables, names.size) : 0;
    return std::string_view(names.starter) == "Slurm" ? slurm_size(variables) : flux_size(variables);
}

local_position read_position(const environment& variables, const job_launcher_variables& names)
{
    local_position position{.rank = read_number(variables, names.rank),
                            .size = size_of(variables, names),
                            .starter = names.starter,
                            .variable = names.rank};
    if (position.size > 0 && position.rank >= position.size)
        throw launch_error(std::string(names.rank) + " is " + std::to_string(position.rank) + ", but " +
                           names.starter + " says that this node has " + std::to_string(position.size) +
                           " ranks: expected 0 to " + std::to_string(position.size - 1));
    if (const std::string* job = names.job == nullptr ? nullptr : find(variables, names.job))
        position.job = *job;
    if (const std::string* slurm_job = find(variables, "SLURM_JOB_ID");
        slurm_job != nullptr && !position.job.empty())
        position.job += "." + *slurm_job;
    return position;
}

// In a batch script, and under a daemon that srun placed once per node, Slurm's rank is 0 and says nothing of
// ours.
bool describes_outer_step(const environment& variables, const local_position& slurm)
{
    return slurm.rank == 0 && (!find(variables, "SLURM_STEP_ID") || slurm.size <= 1);
}

void refuse_disagreement(const local_position& a, const local_position& b)
{
    const bool sizes = a.size > 0 && b.size > 0 && a.size != b.size;
    if (a.rank == b.rank && !sizes)
        return;
    const auto words = [](const local_position& p) {
        return p.variable + "=" + std::to_string(p.rank) + " (" + p.starter +
               (p.size > 0 ? ", " + std::to_string(p.size) + " on this node)" : ")");
    };
    throw launch_error("two starters disagree about this process: " + words(a) + " and " + words(b) +
                       "; unset the variables of the one that did not start it");
}

} // namespace

std::optional<local_position> find_position(const environment& variables)
{
    std::optional<local_position> found;
    for (const job_launcher_variables& names : job_launchers) {
        if (!find(variables, names.rank))
            continue;
        const local_position position = read_position(variables, names);
        if (!found) {
            found = position;
            continue;
        }
        if (position.starter == "Slurm" && describes_outer_step(variables, position))
            continue;
        refuse_disagreement(*found, position);
        if (found->size == 0)
            found->size = position.size;
    }
    return found;
}

int tasks_on_node(std::string_view list, int node)
{
    const auto malformed = [&] {
        return launch_error("Slurm's task list '" + std::string(list) + "' has no entry for node " +
                            std::to_string(node) + "; expected a form such as 2(x3),1");
    };
    long long covered = 0;
    for (std::string_view rest = list; !rest.empty();) {
        const std::size_t comma = rest.find(',');
        const std::string_view item = rest.substr(0, comma);
        const std::size_t open = item.find("(x");
        const std::optional<int> tasks = parse_whole_number(item.substr(0, open));
        const bool repeated = open != item.npos && item.ends_with(')');
        const std::optional<int> times =
            repeated            ? parse_whole_number(item.substr(open + 2, item.size() - open - 3))
            : open == item.npos ? std::optional<int>(1)
                                : std::nullopt;
        if (!tasks || !times)
            throw malformed();
        covered += *times;
        if (node < covered)
            return *tasks;
        rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
    }
    throw malformed();
}

std::string known_variables()
{
    std::string names;
    for (const job_launcher_variables& starter : job_launchers)
        names.append(names.empty() ? "" : ", ").append(starter.rank);
    return names;
}

} // namespace rankfold::launcher
