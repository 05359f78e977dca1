// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank is asked for by options and environment, without ranks.
#include "setup/settings.hpp"

#include "runtime/seconds.hpp"
#include "setup/starter.hpp"
#include "setup/variables.hpp"
#include "support/environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <list>
#include <regex>
#include <sstream>

namespace rankfold::detail {
namespace {

using test::scoped_environment;

std::string refusal_of(const communicator_options& options = {})
{
    try {
        static_cast<void>(resolve_settings(options));
    } catch (const error& failure) {
        return failure.text();
    }
    return {};
}

TEST(Settings, OfTheProgramWinOverTheEnvironment)
{
    const std::string here = std::filesystem::temp_directory_path();
    const scoped_environment backend("RANKFOLD_BACKEND", "cuda");
    const scoped_environment device("RANKFOLD_DEVICE", "7");
    const scoped_environment transport("RANKFOLD_TRANSPORT", "nccl");
    const scoped_environment warn("RANKFOLD_WARN_S", "11");
    const scoped_environment timeout("RANKFOLD_TIMEOUT_S", "12");
    const scoped_environment flight("RANKFOLD_FLIGHT_DIR", "/");
    const scoped_environment coexist("RANKFOLD_COEXIST", "1");
    const scoped_environment overlap("RANKFOLD_OVERLAP", "0");

    const settings environments = resolve_settings({});
    const settings programs = resolve_settings({.backend = backend::host,
                                                .device = "3",
                                                .transport = transport::mpi,
                                                .warn_s = 1.5,
                                                .timeout_s = 2.5,
                                                .flight_dir = here,
                                                .coexist = false,
                                                .overlap = true});

    EXPECT_EQ(environments.backend, backend::cuda);
    EXPECT_EQ(environments.device, "7");
    EXPECT_EQ(environments.transport, transport::nccl);
    EXPECT_EQ(environments.warn_s, 11);
    EXPECT_EQ(environments.timeout_s, 12);
    EXPECT_EQ(environments.flight_dir, "/");
    EXPECT_EQ(environments.coexist, true);
    EXPECT_FALSE(environments.overlap);
    EXPECT_EQ(programs.backend, backend::host);
    EXPECT_EQ(programs.device, "3");
    EXPECT_EQ(programs.transport, transport::mpi);
    EXPECT_EQ(programs.warn_s, 1.5);
    EXPECT_EQ(programs.timeout_s, 2.5);
    EXPECT_EQ(programs.flight_dir, here);
    EXPECT_EQ(programs.coexist, false);
    EXPECT_TRUE(programs.overlap);
}

TEST(Settings, LimitsThatMeanNeverAreHeldAsTheLongest)
{
    for (const char* never : {"1e9", "9.3e9", "1e10", "1e18", "1e300", "inf"}) {
        const scoped_environment warn("RANKFOLD_WARN_S", never);
        const scoped_environment timeout("RANKFOLD_TIMEOUT_S", never);
        EXPECT_EQ(resolve_settings({}).timeout_s, longest_s) << never;
        EXPECT_EQ(resolve_settings({}).warn_s, longest_s) << never;
    }
    EXPECT_EQ(resolve_settings({.timeout_s = std::numeric_limits<double>::infinity()}).timeout_s, longest_s);
    EXPECT_EQ(resolve_settings({.timeout_s = 1e-3}).timeout_s, 1e-3);
}

TEST(Settings, LimitsThatAreNoneAreRefusedByName)
{
    EXPECT_NE(refusal_of({.timeout_s = std::numeric_limits<double>::quiet_NaN()}).find("timeout_s is 'nan'"),
              std::string::npos);
    EXPECT_NE(refusal_of({.warn_s = -3.0}).find("warn_s is '-3'"), std::string::npos);
    EXPECT_NE(refusal_of({.warn_s = 0.0}).find("warn_s is '0'"), std::string::npos);
}

TEST(Settings, ThreadsOfOpenMpAreReadAsOpenMpReadsThem)
{
    for (const char* two : {"2", " 2", "2 ", "2 , 1", "+2", "2,1", "\t2"}) {
        const scoped_environment threads("OMP_NUM_THREADS", two);
        EXPECT_EQ(resolve_settings({}).omp_threads, 2) << "'" << two << "'";
    }
    for (const char* bad : {"0", "-2", "two", "2x", "1.5", "+", " ", "2 3", "99999999999"}) {
        const scoped_environment threads("OMP_NUM_THREADS", bad);
        EXPECT_NE(refusal_of().find("OMP_NUM_THREADS is '" + std::string(bad) + "'"), std::string::npos)
            << "'" << bad << "'";
    }
}

TEST(Settings, BlanksAroundAValueAndNoValueAreRefusedForAllVariables)
{
    for (const std::string_view name : library_variables) {
        for (const char* value : {" 1", "1 ", "1\n", ""}) {
            const scoped_environment bad{std::string(name), value};
            EXPECT_NE(refusal_of().find(std::string(name) + " is '" + value + "'"), std::string::npos)
                << name << " '" << value << "': " << refusal_of();
        }
    }
}

TEST(Settings, DevicesThatAreOnNoMachineAreRefusedOnEveryBackend)
{
    for (const char* bad : {"garbage", "-1", "0x1", "1.5", "cuda:0", "0000-zz"}) {
        EXPECT_NE(refusal_of({.backend = backend::host, .device = bad})
                      .find(std::string("RANKFOLD_DEVICE is '") + bad + "'"),
                  std::string::npos)
            << bad;
    }
    for (const char* good :
         {"0", "12", "0000:3b:00.0", "3B:00.0", "GPU-8f1b2c3d-0123-4567-89ab-0123456789ab"}) {
        EXPECT_EQ(refusal_of({.backend = backend::host, .device = good}), "") << good;
    }
}

/// `environ` of some text.
std::string advice_on(std::list<std::string> variables)
{
    std::vector<const char*> pointers;
    for (const std::string& variable : variables) {
        pointers.push_back(variable.c_str());
    }
    pointers.push_back(nullptr);
    return advice_on_names(pointers.data());
}

TEST(Variables, ThatNobodyReadsAreToldOfWithTheClosest)
{
    EXPECT_EQ(
        advice_on({"HOME=/root", "RANKFOLD_TIMEOUT_S=5", "RANKFOLD_TEST_CALLS=7", "OTHER_RANKFOLD_X=1"}), "");

    const std::string advice = advice_on({"RANKFOLD_TIMEOUT=5", "RANKFOLD_BACKND=host", "RANKFOLD_WARN_S=3"});

    EXPECT_NE(advice.find("RANKFOLD_TIMEOUT is set"), std::string::npos) << advice;
    EXPECT_NE(advice.find("the closest is RANKFOLD_TIMEOUT_S"), std::string::npos) << advice;
    EXPECT_NE(advice.find("RANKFOLD_BACKND is set"), std::string::npos) << advice;
    EXPECT_NE(advice.find("the closest is RANKFOLD_BACKEND"), std::string::npos) << advice;
    EXPECT_EQ(advice.find("WARN"), std::string::npos) << advice;
}

TEST(Variables, AreThoseOfTheDocuments)
{
    std::stringstream text;
    text << std::ifstream(RANKFOLD_TEST_SOURCE "/README.md").rdbuf()
         << std::ifstream(RANKFOLD_TEST_SOURCE "/include/rankfold/communicator.hpp").rdbuf();
    const std::string documents = text.str();

    for (const std::string_view name : library_variables) {
        EXPECT_TRUE(std::regex_search(documents, std::regex(std::string(name) + "\\b"))) << name;
    }
    const std::size_t begin = documents.find("\nEnvironment:");
    ASSERT_NE(begin, std::string::npos);
    const std::string paragraph = documents.substr(begin, documents.find("\n\n", begin) - begin);
    const std::regex name("RANKFOLD_[A-Z_]+");
    for (std::sregex_iterator found(paragraph.begin(), paragraph.end(), name), end; found != end; ++found) {
        EXPECT_NE(std::find(library_variables.begin(), library_variables.end(), found->str()),
                  library_variables.end())
            << found->str();
    }
}

/// The variables of all starters are unset, since mpirun may have started this program.
class Starter : public testing::Test {
protected:
    void set(const char* name, const char* value) { set_.emplace_back(name, value); }

    std::list<scoped_environment> unset_ = [] {
        std::list<scoped_environment> unset;
        for (const char* name : {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK",
                                 "MV2_COMM_WORLD_SIZE", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE",
                                 "PMI_RANK", "PMI_SIZE", "PMIX_RANK", "FLUX_TASK_RANK", "FLUX_JOB_SIZE",
                                 "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_STEP_ID"}) {
            unset.emplace_back(name, std::nullopt);
        }
        return unset;
    }();
    std::list<scoped_environment> set_;
};

constexpr const char* four_tasks =
    "4 tasks were started, MPI_COMM_WORLD has 1 rank: the program was linked with another MPI than the one "
    "that starts it";

TEST_F(Starter, ThatStartedMoreTasksThanTheWorldHasIsToldOf)
{
    struct started {
        const char* task;
        const char* tasks;
    };
    EXPECT_EQ(advice_on_starter(1), "");
    for (const started& by :
         {started{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, started{"PMI_RANK", "PMI_SIZE"},
          started{"FLUX_TASK_RANK", "FLUX_JOB_SIZE"}, started{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
          started{"SLURM_PROCID", "SLURM_NTASKS"}}) {
        set(by.task, "2");
        set(by.tasks, "4");

        EXPECT_TRUE(advice_on_starter(1).starts_with(four_tasks)) << advice_on_starter(1);
        EXPECT_NE(advice_on_starter(1).find("task 2 of 4"), std::string::npos);
        EXPECT_EQ(advice_on_starter(4), "") << "the world is as it should be";

        set_.clear();
    }
    set("PMIX_RANK", "3"); // PMIx does not tell how many
    EXPECT_TRUE(advice_on_starter(1).starts_with("at least 4 tasks were started")) << advice_on_starter(1);
}

TEST_F(Starter, OfOneTaskIsNot)
{
    set("SLURM_PROCID", "2");
    set("SLURM_NTASKS", "4");
    set("OMPI_COMM_WORLD_RANK", "0"); // mpirun -n 1 in a step of Slurm
    set("OMPI_COMM_WORLD_SIZE", "1");
    EXPECT_EQ(advice_on_starter(1), "");
}

TEST_F(Starter, OfAScriptIsNot)
{
    set("SLURM_PROCID", "0"); // sbatch --ntasks=4 runs the script itself as one process
    set("SLURM_NTASKS", "4");
    EXPECT_EQ(advice_on_starter(1), "");

    set("SLURM_STEP_ID", "0"); // srun
    EXPECT_TRUE(advice_on_starter(1).starts_with(four_tasks));
}

TEST_F(Starter, WithOddValuesIsNot)
{
    set("PMI_RANK", "two");
    set("PMI_SIZE", "4");
    set("FLUX_TASK_RANK", "1");
    set("FLUX_JOB_SIZE", "");
    EXPECT_EQ(advice_on_starter(1), "");
}

} // namespace
} // namespace rankfold::detail
