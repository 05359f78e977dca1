// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "modes.hpp"
#include "process/launch_error.hpp"
#include "process/standard_streams.hpp"

#include <iostream>

namespace {

using namespace rankfold::launcher;

int run(const std::vector<std::string>& arguments)
{
    const auto parsed = parse_options(arguments);
    if (const int* status = std::get_if<int>(&parsed))
        return *status;
    const options& chosen = std::get<options>(parsed);
    const environment variables = current_environment();
    if (chosen.doctor)
        return run_doctor(chosen, variables);
    if (chosen.dry_run)
        return dry_run(chosen, variables);
    return chosen.ranks > 0 ? run_mpirun_mode(chosen, variables) : run_rank_mode(chosen, variables);
}

} // namespace

int main(int argc, char** argv)
{
    reserve_standard_streams();
    try {
        return run(std::vector<std::string>(argv + 1, argv + argc));
    } catch (const launch_error& error) {
        std::cerr << "rankfold-run: " << error.what() << "\n";
        return error.status();
    } catch (const std::exception& error) {
        std::cerr << "rankfold-run: " << error.what() << "\n";
        return bad_input;
    }
}
