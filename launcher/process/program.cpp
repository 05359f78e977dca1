// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "process/program.hpp"

#include "process/launch_error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rankfold::launcher {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& arguments)
{
    std::vector<char*> result;
    result.reserve(arguments.size() + 1);
    for (const std::string& argument : arguments)
        result.push_back(const_cast<char*>(argument.c_str()));
    result.push_back(nullptr);
    return result;
}

bool is_regular(const std::string& file)
{
    struct stat status {};
    return stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

bool exists(const std::string& file)
{
    struct stat status {};
    return stat(file.c_str(), &status) == 0;
}

void check(const std::string& file, const std::string& name)
{
    if (!exists(file))
        throw launch_error("program '" + name + "' does not exist", not_found);
    if (!is_regular(file))
        throw launch_error("program '" + name + "' is not a file", not_executable);
    if (access(file.c_str(), X_OK) != 0)
        throw launch_error("program '" + name + "' is not executable: " + std::strerror(errno) +
                               " (chmod +x it?)",
                           not_executable);
}

std::string read_all(int from)
{
    std::string text;
    std::array<char, 4096> buffer{};
    for (ssize_t got = 0; (got = read(from, buffer.data(), buffer.size())) != 0;) {
        if (got < 0 && errno != EINTR)
            break;
        if (got > 0)
            text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return text;
}

bool needs_quotes(const std::string& argument)
{
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./@%";
    return argument.empty() || argument.find_first_not_of(plain) != argument.npos;
}

} // namespace

std::string resolve_program(const std::string& name, const environment& variables)
{
    if (name.find('/') != name.npos) {
        check(name, name);
        return name;
    }
    const std::string* path = find(variables, "PATH");
    std::string refused;
    for (std::string_view rest = path == nullptr ? "/usr/bin:/bin" : std::string_view(*path);
         !name.empty();) {
        const std::size_t colon = rest.find(':');
        const std::string folder(rest.substr(0, colon));
        std::string file = (folder.empty() ? "." : folder) + "/" + name;
        if (is_regular(file) && access(file.c_str(), X_OK) == 0)
            return file;
        if (is_regular(file))
            refused = file;
        if (colon == rest.npos)
            break;
        rest.remove_prefix(colon + 1);
    }
    if (!refused.empty())
        check(refused, refused);
    throw launch_error("program '" + name + "' was not found in PATH (a file of the current folder needs ./)",
                       not_found);
}

void exec(const std::string& file, const std::vector<std::string>& arguments)
{
    execvp(file.c_str(), pointers(arguments).data());
    throw launch_error("cannot execute '" + file + "': " + std::strerror(errno), not_executable);
}

std::string output_of(const std::vector<std::string>& arguments)
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        return "";
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = -1;
    const int failed = posix_spawnp(&child, arguments.front().c_str(), &actions, nullptr,
                                    pointers(arguments).data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    const std::string text = failed == 0 ? read_all(ends[0]) : "";
    close(ends[0]);
    int status = -1;
    if (failed == 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
    return status == 0 ? text : "";
}

std::string quoted(const std::vector<std::string>& arguments)
{
    std::string line;
    for (const std::string& argument : arguments) {
        line += line.empty() ? "" : " ";
        if (!needs_quotes(argument)) {
            line += argument;
            continue;
        }
        line += '\'';
        for (const char c : argument)
            line.append(c == '\'' ? "'\\''" : std::string(1, c));
        line += '\'';
    }
    return line;
}

} // namespace rankfold::launcher
