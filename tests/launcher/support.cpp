// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace rankfold::launcher::testing {
namespace {

std::string contents(const std::string& file)
{
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void apply(const std::vector<std::string>& changes)
{
    for (const char* prefix : {"OMPI_COMM_WORLD", "SLURM_", "PMI_", "PMIX_", "FLUX_"})
        for (char** entry = environ; *entry != nullptr;)
            if (std::strncmp(*entry, prefix, std::strlen(prefix)) == 0)
                unsetenv(std::string(*entry, std::strchr(*entry, '=')).c_str());
            else
                ++entry;
    for (const std::string& change : changes) {
        const std::size_t equals = change.find('=');
        if (equals == change.npos)
            unsetenv(change.c_str());
        else
            setenv(change.substr(0, equals).c_str(), change.substr(equals + 1).c_str(), 1);
    }
}

[[noreturn]] void run_child(const std::vector<std::string>& arguments,
                            const std::vector<std::string>& changes, const std::string& folder)
{
    apply(changes);
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (const std::string& argument : arguments)
        pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    if (std::freopen((folder + "/out").c_str(), "w", stdout) == nullptr ||
        std::freopen((folder + "/err").c_str(), "w", stderr) == nullptr)
        _exit(99);
    execvp(pointers.front(), pointers.data());
    _exit(98);
}

} // namespace

std::string machine_path(const std::string& name)
{
    return std::string(MACHINES) + "/" + name + ".xml";
}

topology::machine recorded(const std::string& name)
{
    topology::machine where = topology::load_xml(machine_path(name));
    where.source = name;
    return where;
}

outcome run(const std::vector<std::string>& arguments, const std::vector<std::string>& changes)
{
    const temporary_folder folder;
    const pid_t child = fork();
    if (child == 0)
        run_child(arguments, changes, folder.path());
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
            contents(folder.path() + "/out"), contents(folder.path() + "/err")};
}

std::vector<std::string> tool(const std::vector<std::string>& arguments)
{
    return plus({RANKFOLD_RUN}, arguments);
}

std::vector<std::string> plus(std::vector<std::string> words, const std::vector<std::string>& more)
{
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

bool has(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

temporary_folder::temporary_folder()
{
    std::string pattern = (std::filesystem::temp_directory_path() / "rankfold-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
        throw std::runtime_error("no temporary folder");
    path_ = pattern;
}

temporary_folder::~temporary_folder()
{
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string temporary_folder::script(const std::string& name, const std::string& text) const
{
    std::string file = path_ + "/" + name;
    std::ofstream(file) << text;
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
}

} // namespace rankfold::launcher::testing
