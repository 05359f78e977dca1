// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "node/job_launcher.hpp"

#include "process/launch_error.hpp"

#include <gtest/gtest.h>

namespace rankfold::launcher {
namespace {

std::string refusal(const environment& variables)
{
    try {
        find_position(variables);
    } catch (const launch_error& error) {
        return error.what();
    }
    return "accepted";
}

bool mentions(const std::string& text, const std::string& part)
{
    return text.find(part) != text.npos;
}

TEST(JobLauncher, IsNotFoundWithoutVariables)
{
    EXPECT_FALSE(find_position({{"PATH", "/bin"}}));
}

struct known {
    const char* starter;
    environment variables;
};

class KnownJobLauncher : public ::testing::TestWithParam<known> {};

TEST_P(KnownJobLauncher, TellsRankAndSize)
{
    const auto position = find_position(GetParam().variables);

    ASSERT_TRUE(position);
    EXPECT_EQ(position->starter, GetParam().starter);
    EXPECT_EQ(position->rank, 2);
    EXPECT_EQ(position->size, 4);
}

INSTANTIATE_TEST_SUITE_P(
    All, KnownJobLauncher,
    ::testing::Values(
        known{"Open MPI", {{"OMPI_COMM_WORLD_LOCAL_RANK", "2"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}}},
        known{"MPICH", {{"MPI_LOCALRANKID", "2"}, {"MPI_LOCALNRANKS", "4"}}},
        known{"MVAPICH", {{"MV2_COMM_WORLD_LOCAL_RANK", "2"}, {"MV2_COMM_WORLD_LOCAL_SIZE", "4"}}},
        known{"MVAPICH", {{"MVP_COMM_WORLD_LOCAL_RANK", "2"}, {"MVP_COMM_WORLD_LOCAL_SIZE", "4"}}},
        known{"JSM", {{"JSM_NAMESPACE_LOCAL_RANK", "2"}, {"JSM_NAMESPACE_LOCAL_SIZE", "4"}}},
        known{"PALS", {{"PALS_LOCAL_RANKID", "2"}, {"PMI_LOCAL_RANK", "2"}, {"PMI_LOCAL_SIZE", "4"}}},
        known{"PMI", {{"PMI_LOCAL_RANK", "2"}, {"PMI_LOCAL_SIZE", "4"}}},
        known{"Flux", {{"FLUX_TASK_LOCAL_ID", "2"}, {"FLUX_JOB_SIZE", "8"}, {"FLUX_JOB_NNODES", "2"}}},
        known{"Slurm",
              {{"SLURM_LOCALID", "2"},
               {"SLURM_STEP_ID", "0"},
               {"SLURM_STEP_TASKS_PER_NODE", "3,4(x2)"},
               {"SLURM_NODEID", "1"}}}));

TEST(JobLauncher, LeavesTheSizeOpenIfNobodySaysIt)
{
    const auto position = find_position({{"PALS_LOCAL_RANKID", "3"}});

    ASSERT_TRUE(position);
    EXPECT_EQ(position->rank, 3);
    EXPECT_EQ(position->size, 0);
}

TEST(JobLauncher, IsRefusedIfTwoDisagree)
{
    const std::string ranks = refusal({{"OMPI_COMM_WORLD_LOCAL_RANK", "0"}, {"MPI_LOCALRANKID", "1"}});
    const std::string sizes = refusal({{"PMI_LOCAL_RANK", "0"},
                                       {"PMI_LOCAL_SIZE", "2"},
                                       {"MPI_LOCALRANKID", "0"},
                                       {"MPI_LOCALNRANKS", "3"}});

    EXPECT_TRUE(mentions(ranks, "OMPI_COMM_WORLD_LOCAL_RANK=0 (Open MPI) and MPI_LOCALRANKID=1 (MPICH)"))
        << ranks;
    EXPECT_TRUE(mentions(sizes, "disagree")) << sizes;
    EXPECT_TRUE(mentions(refusal({{"OMPI_COMM_WORLD_LOCAL_RANK", "0"}, {"SLURM_LOCALID", "1"}}), "disagree"));
}

// mpirun inside a batch script: SLURM_LOCALID is the script's; under one daemon per node it is the daemon's.
TEST(JobLauncher, InsideASlurmBatchScriptIsTheInnerOne)
{
    const environment inner{{"OMPI_COMM_WORLD_LOCAL_RANK", "3"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                            {"SLURM_LOCALID", "0"},
                            {"SLURM_TASKS_PER_NODE", "8(x2)"},
                            {"SLURM_NODEID", "0"}};
    environment daemon = inner;
    daemon["SLURM_STEP_ID"] = "0";
    daemon["SLURM_STEP_TASKS_PER_NODE"] = "1(x2)";
    environment real_step = daemon;
    real_step["SLURM_STEP_TASKS_PER_NODE"] = "4(x2)";

    EXPECT_EQ(find_position(inner)->rank, 3);
    EXPECT_EQ(find_position(daemon)->rank, 3);
    EXPECT_TRUE(mentions(refusal(real_step), "disagree"));
}

TEST(JobLauncher, RefusesMalformedNumbers)
{
    for (const char* bad :
         {"", " 1", "1 ", "+1", "-1", "0x1", "1.0", "one", "99999999999999999999", "1048576"}) {
        const std::string words = refusal({{"MPI_LOCALRANKID", bad}});
        EXPECT_TRUE(mentions(words, std::string("MPI_LOCALRANKID is '") + bad + "', expected a whole number"))
            << words;
    }
}

TEST(JobLauncher, RefusesARankOutsideItsSize)
{
    const std::string words = refusal({{"PMI_LOCAL_RANK", "4"}, {"PMI_LOCAL_SIZE", "4"}});

    EXPECT_TRUE(mentions(words, "PMI_LOCAL_RANK is 4")) << words;
    EXPECT_TRUE(mentions(words, "expected 0 to 3")) << words;
}

TEST(SlurmTaskList, IsExpanded)
{
    EXPECT_EQ(tasks_on_node("4", 0), 4);
    EXPECT_EQ(tasks_on_node("2(x3),1", 2), 2);
    EXPECT_EQ(tasks_on_node("2(x3),1", 3), 1);
}

TEST(SlurmTaskList, IsRefusedIfMalformedOrTooShort)
{
    for (const char* bad : {"", ",", "2(x3", "2(3)", "x", "2(x)", "-1", "2,,3"})
        EXPECT_THROW(tasks_on_node(bad, 1), launch_error) << bad;
    EXPECT_THROW(tasks_on_node("2(x3),1", 4), launch_error);
}

} // namespace
} // namespace rankfold::launcher
