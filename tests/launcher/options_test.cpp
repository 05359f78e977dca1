// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "app_environment.hpp"
#include "modes.hpp"
#include "mpirun.hpp"
#include "process/launch_error.hpp"
#include "process/program.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

namespace rankfold::launcher::testing {
namespace {

using words = std::vector<std::string>;

options parsed(const words& arguments)
{
    return std::get<options>(parse_options(arguments));
}

int status(const words& arguments)
{
    ::testing::internal::CaptureStderr();
    ::testing::internal::CaptureStdout();
    const auto result = parse_options(arguments);
    ::testing::internal::GetCapturedStderr();
    ::testing::internal::GetCapturedStdout();
    return std::holds_alternative<int>(result) ? std::get<int>(result) : -1;
}

TEST(Options, KeepTheProgramsArgumentsUntouched)
{
    EXPECT_EQ(parsed({"-n", "2", "--", "./app", "-n", "7", "--", "a b"}).command,
              (words{"./app", "-n", "7", "--", "a b"}));
    EXPECT_EQ(parsed({"-n", "2", "./app", "--strict"}).command, (words{"./app", "--strict"}));
    EXPECT_FALSE(parsed({"-n", "2", "./app", "--strict"}).strict);
}

TEST(Options, RefuseWhatIsUnknownOrMalformed)
{
    for (const words& bad : {words{}, words{"--"}, words{"--foo", "--", "a"}, words{"-n", "0", "--", "a"},
                             words{"-n", "-2", "--", "a"}, words{"-n", "0x2", "--", "a"},
                             words{"--cores-per-rank", "two", "--", "a"}, words{"--show", "png", "--", "a"},
                             words{"--gpu-visible", "some", "--", "a"}, words{"--print-command", "--", "a"},
                             words{"--topology", "a.xml", "--synthetic", "core:2", "--", "a"},
                             words{"--strict", "--no-bind", "--", "a"}})
        EXPECT_EQ(status(bad), bad_input) << quoted(bad);
    EXPECT_EQ(status({"--help"}), 0);
    EXPECT_EQ(status({"--version"}), 0);
}

TEST(Options, HandSeveralArgumentsToTheStarter)
{
    const options o =
        parsed({"-n", "2", "--mpirun-arg=--host", "--mpirun-arg", "a,b", "--no-bind", "--", "app"});

    EXPECT_EQ(o.mpirun_args, (words{"--host", "a,b"}));
    EXPECT_FALSE(o.bind);
    EXPECT_TRUE(has_allocation(o, {}));
    EXPECT_TRUE(
        has_allocation(parsed({"-n", "2", "--mpirun-arg=-hosts", "--mpirun-arg", "a,b", "--", "app"}), {}));
    EXPECT_TRUE(has_allocation({}, {{"HYDRA_HOST_FILE", "hosts"}}));
    EXPECT_FALSE(has_allocation({}, {}));
}

TEST(Options, ReachTheWrappersUnchanged)
{
    const options front =
        parsed({"-n", "4", "--cores-per-rank", "3", "--smt", "--gpu-visible", "one", "--nic", "--strict",
                "--oversubscribe", "--share-gpus", "--verbose", "--", "app"});
    words line = rank_arguments(front);
    line.insert(line.end(), {"--", "app"});

    const options wrapper = parsed(line);

    EXPECT_TRUE(wrapper.under_mpirun_mode);
    EXPECT_EQ(wrapper.ranks, 0);
    EXPECT_EQ(wrapper.cores_per_rank, 3);
    EXPECT_TRUE(wrapper.smt && wrapper.one_visible_gpu && wrapper.nic && wrapper.strict &&
                wrapper.oversubscribe);
    EXPECT_TRUE(wrapper.share_gpus && wrapper.verbose && wrapper.bind);
}

TEST(Command, IsQuotedForAReader)
{
    EXPECT_EQ(quoted({"a", "b c", "it's", ""}), "a 'b c' 'it'\\''s' ''");
}

TEST(Command, FollowsTheStartersSyntax)
{
    const options o =
        parsed({"-n", "4", "--oversubscribe", "--allow-run-as-root", "--mpirun-arg=--tag-output", "--", "a"});
    const words tail{"--tag-output", "self", "--under-mpirun-mode", "--oversubscribe", "--", "a"};
    const auto line = [&](mpirun_kind kind, words head) {
        head.insert(head.end(), tail.begin(), tail.end());
        EXPECT_EQ(compose({.file = "mpirun", .kind = kind}, o, "self"), head);
    };

    line(mpirun_kind::open_mpi_4,
         {"mpirun", "-n", "4", "--bind-to", "none", "--allow-run-as-root", "--oversubscribe"});
    line(mpirun_kind::open_mpi_5,
         {"mpirun", "-n", "4", "--bind-to", "none", "--allow-run-as-root", "--map-by", ":OVERSUBSCRIBE"});
    line(mpirun_kind::hydra, {"mpirun", "-n", "4", "-bind-to", "none"});
    line(mpirun_kind::unknown, {"mpirun", "-n", "4"});
}

TEST(Command, KnowsTheStarterByItsVersion)
{
    EXPECT_EQ(recognise("mpirun (Open MPI) 4.1.4\n"), mpirun_kind::open_mpi_4);
    EXPECT_EQ(recognise("mpirun (Open MPI) 5.0.3\n"), mpirun_kind::open_mpi_5);
    EXPECT_EQ(recognise("prterun (PRRTE) 3.0.2\n"), mpirun_kind::open_mpi_5);
    EXPECT_EQ(recognise("HYDRA build details:\n    Version: 4.0.2\n"), mpirun_kind::hydra);
    EXPECT_EQ(recognise("Intel(R) MPI Library for Linux* OS, Version 2021.9\n"), mpirun_kind::hydra);
    EXPECT_EQ(recognise(""), mpirun_kind::unknown);
}

TEST(Command, IsRefusedForRootWithTheRemedy)
{
    const mpirun open_mpi{.file = "mpirun", .kind = mpirun_kind::open_mpi_4};
    const environment permitted{{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};

    EXPECT_THROW(check_root(open_mpi, {}, {}, true), launch_error);
    EXPECT_THROW(check_root(open_mpi, {}, {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}}, true), launch_error);
    EXPECT_THROW(check_root(open_mpi, {}, {{"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}}, true), launch_error);
    EXPECT_NO_THROW(check_root(open_mpi, {}, {}, false));
    EXPECT_NO_THROW(check_root(open_mpi, {}, permitted, true));
    EXPECT_NO_THROW(check_root(open_mpi, parsed({"-n", "1", "--allow-run-as-root", "--", "a"}), {}, true));
    EXPECT_NO_THROW(check_root({.file = "mpirun", .kind = mpirun_kind::hydra}, {}, {}, true));
}

TEST(Variables, AreSetForTheRankUnlessTheUserDid)
{
    const topology::machine where = recorded("dgx-h100");
    const topology::plan plan = topology::place(where, {.ranks = 8, .cores_per_rank = 2});
    const options o = parsed({"--nic", "--gpu-visible", "one", "--", "a"});

    const environment fresh = added_variables(where, plan.ranks[1], o, {});
    const environment kept = added_variables(where, plan.ranks[1], o,
                                             {{"OMP_NUM_THREADS", "7"},
                                              {"OMP_PLACES", "cores"},
                                              {"NCCL_IB_HCA", "x"},
                                              {"UCX_NET_DEVICES", "y"},
                                              {"RANKFOLD_DEVICE", "0000:00:00.0"}});

    EXPECT_EQ(fresh, (environment{{"RANKFOLD_DEVICE", "0000:43:00.0"},
                                  {"CUDA_VISIBLE_DEVICES", "GPU-00000000-0000-0000-0000-000000000043"},
                                  {"OMP_NUM_THREADS", "2"},
                                  {"OMP_PLACES", "{2,114},{3,115}"},
                                  {"NCCL_IB_HCA", "=mlx5_3"},
                                  {"UCX_NET_DEVICES", "mlx5_3:1"}}));
    EXPECT_EQ(kept, (environment{{"RANKFOLD_DEVICE", "0000:43:00.0"},
                                 {"CUDA_VISIBLE_DEVICES", "GPU-00000000-0000-0000-0000-000000000043"}}));
}

TEST(Variables, CountHardwareThreadsWithSmt)
{
    const topology::machine where = recorded("dgx-h100");
    const topology::plan plan = topology::place(where, {.ranks = 8, .cores_per_rank = 2, .smt = true});

    const environment added = added_variables(where, plan.ranks[0], parsed({"--smt", "--", "a"}), {});

    EXPECT_EQ(added.at("OMP_NUM_THREADS"), "4");
    EXPECT_EQ(added.at("OMP_PLACES"), "{0},{112},{1},{113}");
}

TEST(Sysfs, IsNamedWhenMissing)
{
    try {
        check_sysfs("/nonexistent");
        FAIL() << "accepted";
    } catch (const launch_error& error) {
        EXPECT_NE(std::string(error.what()).find("/nonexistent/devices/system/cpu/online"),
                  std::string::npos);
    }
}

} // namespace
} // namespace rankfold::launcher::testing
