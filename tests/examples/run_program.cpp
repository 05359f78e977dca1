// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "run_program.hpp"

#include "file_bytes.hpp"

#include <cstdlib>
#include <sys/wait.h>

namespace field_stats::test {
namespace {

std::string quoted(const std::string& word)
{
    std::string result = "'";
    for (const char c : word) {
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return result + "'";
}

std::string line(const arguments& words)
{
    std::string result;
    for (const std::string& word : words) {
        result += quoted(word) + " ";
    }
    return result;
}

outcome run_command(const std::string& command)
{
    const scratch_folder folder;
    const std::string redirected =
        command + " >" + quoted(folder.path("out")) + " 2>" + quoted(folder.path("err")) + " </dev/null";
    const int status = std::system(redirected.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder.read("out"), folder.read("err")};
}

// A rank waits by looking: where there are more ranks than cores it must give way.
const std::string mpirun = quoted(MPIEXEC) + " --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 ";

} // namespace

outcome run(int ranks, const arguments& args)
{
    return run_command(mpirun + "-n " + std::to_string(ranks) + " " + quoted(FIELD_STATS) + " " + line(args));
}

outcome run_in_two_folders(const std::string& first, const std::string& second, const arguments& args)
{
    const std::string program = quoted(FIELD_STATS) + " " + line(args);
    return run_command(mpirun + "-n 1 -wdir " + quoted(first) + " " + program + ": -n 1 -wdir " +
                       quoted(second) + " " + program);
}

} // namespace field_stats::test
