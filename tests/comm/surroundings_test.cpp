// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is odd about how a program was started is told once, by the first communicator of a process: this
// program has one test, so that it is the first.
#include "rankfold/rankfold.hpp"
#include "support/distributed.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace rankfold::test {
namespace {

TEST(Surroundings, AreToldOfOnce)
{
    const std::string log =
        std::filesystem::temp_directory_path() / ("rankfold_surroundings_" + std::to_string(getpid()));
    const scoped_environment file("RANKFOLD_DEBUG_FILE", log);
    const scoped_environment misspelt("RANKFOLD_TIME_OUT_S", "5");
    // mpirun's own variables say how many it started; they must not hide what another starter says.
    const scoped_environment no_task("OMPI_COMM_WORLD_RANK", std::nullopt);
    const scoped_environment no_tasks("OMPI_COMM_WORLD_SIZE", std::nullopt);
    const scoped_environment task("FLUX_TASK_RANK", "2");
    const scoped_environment tasks("FLUX_JOB_SIZE", "4");

    { // alone in it, also where the world has more ranks
        const communicator first(MPI_COMM_SELF);
        const communicator second(MPI_COMM_SELF);
    }

    std::stringstream lines;
    lines << std::ifstream(log).rdbuf();
    std::filesystem::remove(log);
    const std::string text = lines.str();
    const std::string name = "RANKFOLD_TIME_OUT_S is set";
    const std::string starter = "4 tasks were started, MPI_COMM_WORLD has 1 rank";
    ASSERT_NE(text.find(name), std::string::npos) << text;
    EXPECT_EQ(text.find(name), text.rfind(name)) << text;
    EXPECT_EQ(text.find(starter) != std::string::npos, world_size() == 1) << text;
    EXPECT_EQ(text.find(starter), text.rfind(starter)) << text;
}

} // namespace
} // namespace rankfold::test
