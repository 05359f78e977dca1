// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "modes.hpp"
#include "mpirun.hpp"
#include "process/launch_error.hpp"
#include "process/program.hpp"
#include "process/standard_streams.hpp"
#include "show/show.hpp"

#include <array>
#include <iostream>
#include <unistd.h>

namespace rankfold::launcher {
namespace {

std::string own_path()
{
    std::array<char, 4096> buffer{};
    const ssize_t length = readlink("/proc/self/exe", buffer.data(), buffer.size());
    if (length <= 0 || static_cast<std::size_t>(length) == buffer.size())
        throw launch_error("/proc/self/exe does not tell where rankfold-run is: is /proc mounted?");
    return {buffer.data(), static_cast<std::size_t>(length)};
}

// On one machine every refusal of rank mode is known beforehand: say it once, not once per rank.
void check_plan(const options& chosen, const environment& variables)
{
    if (has_allocation(chosen, variables) && chosen.ranks_per_node == 0)
        return;
    const topology::machine where = choose_machine(chosen);
    const int ranks = chosen.ranks_per_node > 0 ? chosen.ranks_per_node : chosen.ranks;
    const topology::plan plan = place(where, make_request(chosen, ranks));
    if (chosen.show != show_form::none)
        std::cerr << show(chosen.show, where, plan);
}

} // namespace

int run_mpirun_mode(const options& chosen, const environment& variables)
{
    const mpirun starter = find_mpirun(chosen, variables);
    const std::vector<std::string> line = compose(starter, chosen, own_path());
    if (chosen.print_command) {
        print(quoted(line) + "\n");
        return 0;
    }
    (void)resolve_program(chosen.command.front(), variables);
    check_root(starter, chosen, variables, geteuid() == 0);
    check_plan(chosen, variables);
    return run_and_forward(line);
}

} // namespace rankfold::launcher
