// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
// 1. Which rank is this? 2. Can the program run? 3. What may the ranks of this node use? 4. Plan. 5. Bind and
// read back.
// 6. Become the program.
#include "app_environment.hpp"
#include "modes.hpp"
#include "node/job_launcher.hpp"
#include "node/limits.hpp"
#include "node/mpi_world.hpp"
#include "process/launch_error.hpp"
#include "process/program.hpp"
#include "show/show.hpp"
#include "topology/binding.hpp"
#include "topology/describe.hpp"

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <sys/prctl.h>
#include <unistd.h>

namespace rankfold::launcher {
namespace {

using topology::machine;
using topology::placement;

local_position require_position(const options& chosen, const environment& variables)
{
    std::optional<local_position> found = find_position(variables);
    if (!found)
        throw launch_error("which rank is this? None of " + known_variables() +
                           " is set: start rankfold-run under mpirun or srun, or give -n COUNT");
    if (chosen.ranks_per_node > 0 && found->size > 0 && chosen.ranks_per_node != found->size)
        throw launch_error("--ranks-per-node " + std::to_string(chosen.ranks_per_node) + ", but " +
                           found->starter + " started " + std::to_string(found->size) +
                           " ranks on this node");
    if (chosen.ranks_per_node > 0)
        found->size = chosen.ranks_per_node;
    if (found->size == 0)
        throw launch_error(found->starter +
                           " does not say how many ranks are on this node: pass --ranks-per-node COUNT");
    if (found->rank >= found->size)
        throw launch_error(found->variable + " is " + std::to_string(found->rank) + ", expected 0 to " +
                           std::to_string(found->size - 1));
    return *found;
}

void say(int rank, const std::string& text)
{
    const std::string line = "rankfold-run: rank " + std::to_string(rank) + " of this node: " + text + "\n";
    std::cerr << line; // in one piece, for the ranks write at the same time
}

void bind_and_verify(const machine& where, const placement& place, const options& chosen, int rank)
{
    const topology::binding_result result = topology::bind_thread({place.threads, place.memory_nodes});
    for (const std::string& error : {result.thread_error, result.memory_error}) {
        if (error.empty())
            continue;
        if (chosen.strict)
            throw launch_error(error + " (--strict: nothing is started)", binding_not_held);
        say(rank, error);
    }
    if (chosen.verbose)
        say(rank, "the kernel holds " + describe(where, result.held.threads, place.gpu, {}) +
                      ", memory NUMA " +
                      (result.held.memory_nodes.empty() ? "any" : result.held.memory_nodes.to_string()));
}

// One rank of the node speaks for all.
void tell_about(const machine& where, const topology::plan& plan, const options& chosen)
{
    if (chosen.show != show_form::none) {
        std::cerr << show(chosen.show, where, plan);
        return;
    }
    for (const std::string& warning : plan.warnings)
        std::cerr << "rankfold-run: warning: " + warning + "\n";
}

// Told by one rank of the node; where it ends the start, every rank must see it.
void check_world(const std::string& file, const options& chosen, const environment& variables, int rank)
{
    const std::optional<started_job> job = find_job(variables);
    if (!job || job->tasks < 2 || (rank > 0 && !chosen.strict)) {
        return;
    }
    const std::string why = why_alone(*job, mpi_of_program(file));
    if (!why.empty() && chosen.strict) {
        throw launch_error(why + " (--strict: nothing is started)", binding_not_held);
    }
    if (!why.empty()) {
        std::cerr << "rankfold-run: warning: " + why + "\n";
    }
}

// Without this, killing mpirun outright would leave programs that are not MPI programs running.
void die_with_mpirun_mode()
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == 1)
        throw launch_error("the starter has ended");
}

} // namespace

int run_rank_mode(const options& chosen, const environment& variables)
{
    const local_position position = require_position(chosen, variables);
    const std::string file = resolve_program(chosen.command.front(), variables);
    check_world(file, chosen, variables, position.rank);
    machine where = choose_machine(chosen);
    topology::request wanted = make_request(chosen, position.size);
    if (!chosen.under_mpirun_mode)
        wanted.limits = agree_on_limits(where, position);
    const topology::plan plan = place(where, wanted);
    const placement& mine = plan.ranks[static_cast<std::size_t>(position.rank)];

    if (position.rank == 0)
        tell_about(where, plan, chosen);
    if (chosen.bind)
        bind_and_verify(where, mine, chosen, position.rank);
    for (const auto& [name, value] : added_variables(where, mine, chosen, variables))
        setenv(name.c_str(), value.c_str(), 1);
    if (chosen.under_mpirun_mode)
        die_with_mpirun_mode();
    exec(file, chosen.command);
}

} // namespace rankfold::launcher
