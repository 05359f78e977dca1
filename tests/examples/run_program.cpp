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

const std::string mpiexec = quoted(MPIEXEC) + " " + MPIEXEC_FLAGS + " ";

} // namespace

std::string command_alone(const arguments& args)
{
    std::string result = quoted(FIELD_STATS);
    for (const std::string& word : args) {
        result += " " + quoted(word);
    }
    return result;
}

std::string command(int ranks, const arguments& args)
{
    return mpiexec + "-n " + std::to_string(ranks) + " " + command_alone(args);
}

outcome run_command(const std::string& command)
{
    const scratch_folder folder;
    const std::string redirected = "(" + command + ") >" + quoted(folder.path("out")) + " 2>" +
                                   quoted(folder.path("err")) + " </dev/null";
    const int status = std::system(redirected.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder.read("out"), folder.read("err")};
}

outcome run(int ranks, const arguments& args)
{
    return run_command(command(ranks, args));
}

outcome run_in_two_folders(const std::string& first, const std::string& second, const arguments& args)
{
    const std::string program = command_alone(args);
    return run_command(mpiexec + "-n 1 -wdir " + quoted(first) + " " + program + " : -n 1 -wdir " +
                       quoted(second) + " " + program);
}

} // namespace field_stats::test
