// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
// The command line, the starter's variables and the small text forms. Any outcome but a crash or a foreign
// exception is right; what parses must survive its own printing.
#include "mpirun.hpp"
#include "node/job_launcher.hpp"
#include "node/limits.hpp"
#include "options.hpp"
#include "process/launch_error.hpp"
#include "process/program.hpp"
#include "topology/error.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>

namespace {

using namespace rankfold;
using namespace rankfold::launcher;

std::vector<std::string> split(const std::string& text)
{
    std::vector<std::string> words(1);
    for (const char c : text) {
        if (c == '\n')
            words.emplace_back();
        else if (c != '\0')
            words.back() += c;
    }
    return words;
}

void require(bool condition)
{
    if (!condition)
        std::abort();
}

template <class Action>
void expect_own_errors(Action action)
{
    try {
        action();
    } catch (const launch_error&) {
    } catch (const topology::topology_error&) {
    }
}

void fuzz_options(const std::string& text)
{
    const auto parsed = parse_options(split(text));
    if (const options* chosen = std::get_if<options>(&parsed)) {
        require(chosen->ranks >= 0 && chosen->cores_per_rank >= 0);
        require(!compose({.file = "mpirun", .kind = mpirun_kind::open_mpi_4}, *chosen, "self").empty());
    }
}

void fuzz_variables(const std::string& text)
{
    constexpr std::array names{"OMPI_COMM_WORLD_LOCAL_RANK",
                               "OMPI_COMM_WORLD_LOCAL_SIZE",
                               "SLURM_LOCALID",
                               "SLURM_STEP_ID",
                               "SLURM_STEP_TASKS_PER_NODE",
                               "SLURM_NODEID",
                               "FLUX_TASK_LOCAL_ID",
                               "FLUX_JOB_SIZE",
                               "FLUX_JOB_NNODES",
                               "PMI_LOCAL_RANK",
                               "PMI_LOCAL_SIZE"};
    environment variables;
    for (const std::string& word : split(text))
        if (!word.empty())
            variables[names[static_cast<unsigned char>(word[0]) % names.size()]] = word.substr(1);
    expect_own_errors([&] {
        const auto position = find_position(variables);
        require(!position || position->size == 0 || position->rank < position->size);
    });
}

void fuzz_text_forms(const std::string& text)
{
    expect_own_errors([&] {
        const auto set = topology::index_set::parse(text);
        require(topology::index_set::parse(set.to_string()) == set);
    });
    expect_own_errors([&] {
        const std::string id = topology::normalise_bus_id(text);
        require(topology::normalise_bus_id(id) == id);
    });
    expect_own_errors([&] { require(limit_to_line(limit_from_line(text)).find(';') != std::string::npos); });
    (void)recognise(text);
    (void)quoted(split(text));
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***)
{
    std::cout.setstate(std::ios::failbit); // help texts
    std::cerr.setstate(std::ios::failbit);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0)
        return 0;
    const std::string text(data + 1, data + size);
    switch (data[0] % 3) {
    case 0:
        fuzz_options(text);
        break;
    case 1:
        fuzz_variables(text);
        break;
    case 2:
        fuzz_text_forms(text);
        break;
    }
    return 0;
}
