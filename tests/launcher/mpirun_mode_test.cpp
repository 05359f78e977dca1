// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
// Mpirun mode, with stand-ins for mpirun where its kind matters and with the real one where processes do.
#include "support.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace rankfold::launcher::testing {
namespace {

using words = std::vector<std::string>;

const words as_root{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"};

// Answers --version; else prints its arguments, one to a line.
std::string fake_mpirun(const temporary_folder& folder, const std::string& version)
{
    return folder.script("mpirun", "#!/bin/sh\nif [ \"$1\" = --version ]; then echo '" + version +
                                       "'; exit 0; fi\nprintf '%s\\n' \"$@\"\nexit 5\n");
}

TEST(MpirunMode, HandsArgumentsToTheStarterOneByOne)
{
    const temporary_folder folder;
    const std::string mpirun = fake_mpirun(folder, "mpirun (Open MPI) 5.0.3");

    const outcome got =
        run(tool({"-n", "3", "--oversubscribe", "--mpirun", mpirun, "--", "echo", "a b", "$(id)"}), as_root);

    EXPECT_EQ(got.status, 5) << got.err;
    EXPECT_EQ(got.out, "-n\n3\n--bind-to\nnone\n--map-by\n:OVERSUBSCRIBE\n" RANKFOLD_RUN
                       "\n--under-mpirun-mode\n--oversubscribe\n--\necho\na b\n$(id)\n");
}

TEST(MpirunMode, PrintsTheCommandInsteadOfRunningIt)
{
    const temporary_folder folder;
    const std::string mpirun = fake_mpirun(folder, "mpirun (Open MPI) 4.1.4");

    const outcome got = run(tool({"-n", "2", "--print-command", "--mpirun", mpirun, "--", "echo", "a b"}));

    EXPECT_EQ(got.status, 0);
    EXPECT_EQ(got.out, mpirun + " -n 2 --bind-to none " RANKFOLD_RUN " --under-mpirun-mode -- echo 'a b'\n");
}

// BC-92: root and too few slots.
TEST(MpirunMode, RefusesRootAndTooFewCoresWithTheRemedy)
{
    const temporary_folder folder;
    const std::string mpirun = fake_mpirun(folder, "mpirun (Open MPI) 4.1.4");

    const outcome crowded = run(tool({"-n", "100000", "--mpirun", mpirun, "--", "echo"}), as_root);
    const outcome root = run(tool({"-n", "1", "--mpirun", mpirun, "--", "echo"}),
                             {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"});

    EXPECT_EQ(crowded.status, 2);
    EXPECT_EQ(crowded.out, "");
    EXPECT_TRUE(has(crowded.err, "--oversubscribe")) << crowded.err;
    EXPECT_EQ(root.status, geteuid() == 0 ? 2 : 5);
    EXPECT_EQ(has(root.err, "--allow-run-as-root"), geteuid() == 0) << root.err;
}

TEST(MpirunMode, RefusesMissingPrograms)
{
    EXPECT_EQ(run(tool({"-n", "1", "--", "/nonexistent"}), as_root).status, 127);
    const outcome starter = run(tool({"-n", "1", "--mpirun", "/nonexistent/mpirun", "--", "echo"}), as_root);
    EXPECT_EQ(starter.status, 127);
    EXPECT_TRUE(has(starter.err, "no MPI starter")) << starter.err;
}

// /bin is a link to /usr/bin on most machines: Open MPI takes the folder above the one it is started from.
TEST(MpirunMode, StartsMpirunFromItsRealFolder)
{
    const temporary_folder folder;
    std::filesystem::create_directories(folder.path() + "/usr/bin");
    std::filesystem::create_directory_symlink("usr/bin", folder.path() + "/bin");
    (void)folder.script("usr/bin/mpirun", "#!/bin/sh\necho 'mpirun (Open MPI) 4.1.4'\n");
    const std::string real = std::filesystem::canonical(folder.path()).string() + "/usr/bin/mpirun -n 2 ";

    const outcome by_path = run(tool({"-n", "2", "--print-command", "--", "true"}),
                                {"PATH=" + folder.path() + "/bin:/usr/bin:/bin"});
    const outcome by_name =
        run(tool({"-n", "2", "--print-command", "--mpirun", folder.path() + "/bin/mpirun", "--", "true"}));

    EXPECT_TRUE(by_path.out.starts_with(real)) << by_path.out << by_path.err;
    EXPECT_TRUE(by_name.out.starts_with(real)) << by_name.out << by_name.err;
}

class RealMpirunMode : public ::testing::Test {
protected:
    static words starting(const std::string& script)
    {
        return tool({"-n", "2", "--oversubscribe", "--", "sh", "-c", script});
    }
};

TEST_F(RealMpirunMode, BindsAndPassesTheExitStatusOn)
{
    const outcome got = run(starting("test $OMPI_COMM_WORLD_RANK = 0 || exit 3"), as_root);

    EXPECT_EQ(got.status, 3) << got.err;
}

TEST_F(RealMpirunMode, WorksWhereBinComesFirst)
{
    const std::string path = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");

    const outcome got = run(starting("exit 0"), plus(as_root, {"PATH=/bin:/usr/bin:" + path}));

    EXPECT_EQ(got.status, 0) << got.err;
}

// As Debian names MPICH's, so that it lives beside Open MPI's.
TEST_F(RealMpirunMode, WorksWithMpich)
{
    if (run({"sh", "-c", "command -v mpirun.mpich"}).status != 0) {
        GTEST_SKIP() << "no mpirun.mpich here";
    }

    const outcome got = run(tool({"-n", "2", "--oversubscribe", "--mpirun", "mpirun.mpich", "--", "sh", "-c",
                                  "echo $MPI_LOCALRANKID of $MPI_LOCALNRANKS"}));

    EXPECT_EQ(got.status, 0) << got.err;
    EXPECT_TRUE(has(got.out, "0 of 2\n")) << got.out << got.err;
    EXPECT_TRUE(has(got.out, "1 of 2\n")) << got.out << got.err;
}

TEST_F(RealMpirunMode, StartsRanksWhoseMasksDiffer)
{
    const outcome got = run(tool({"-n", "2", "--strict", "--", PROBE}), as_root);
    if (got.status == 2)
        GTEST_SKIP() << "this machine has one core: " << got.err;

    ASSERT_EQ(got.status, 0) << got.err;
    const std::size_t first = got.out.find("mask");
    const std::size_t second = got.out.find("mask", first + 1);
    ASSERT_NE(second, std::string::npos) << got.out;
    EXPECT_NE(got.out.substr(first, got.out.find('\n', first) - first),
              got.out.substr(second, got.out.find('\n', second) - second));
}

TEST_F(RealMpirunMode, AgreesWithRanksThatTheStarterHasBound)
{
    const outcome got =
        run({"mpirun", "-n", "2", "--bind-to", "core", RANKFOLD_RUN, "--strict", "--", PROBE}, as_root);
    if (has(got.err, "oversubscribe") || has(got.err, "slots"))
        GTEST_SKIP() << "this machine has one core";

    EXPECT_EQ(got.status, 0) << got.err;
}

// BC-93. The ranks write their process ids and sleep; after the signal none may be left.
class Signals : public RealMpirunMode, public ::testing::WithParamInterface<int> {
protected:
    static constexpr int ranks = 2;

    pid_t start()
    {
        const words line = starting("echo $$ > " + folder_.path() + "/pid.$OMPI_COMM_WORLD_RANK.new; mv " +
                                    folder_.path() + "/pid.$OMPI_COMM_WORLD_RANK.new " + folder_.path() +
                                    "/pid.$OMPI_COMM_WORLD_RANK; exec sleep 300");
        const pid_t child = fork();
        if (child == 0) {
            for (const std::string& variable : as_root)
                putenv(const_cast<char*>(variable.c_str()));
            std::vector<char*> pointers;
            pointers.reserve(line.size() + 1);
            for (const std::string& argument : line)
                pointers.push_back(const_cast<char*>(argument.c_str()));
            pointers.push_back(nullptr);
            execv(pointers.front(), pointers.data());
            _exit(98);
        }
        return child;
    }

    static bool within_seconds(int seconds, auto&& condition)
    {
        for (int i = 0; i < 100 * seconds; ++i) {
            if (condition())
                return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }

    std::vector<pid_t> ranks_started() const
    {
        std::vector<pid_t> pids;
        for (int rank = 0; rank < ranks; ++rank) {
            pid_t pid = 0;
            if (std::ifstream(folder_.path() + "/pid." + std::to_string(rank)) >> pid)
                pids.push_back(pid);
        }
        return pids;
    }

    temporary_folder folder_;
};

TEST_P(Signals, LeaveNoRankBehind)
{
    const pid_t launcher = start();
    ASSERT_TRUE(within_seconds(20, [&] { return ranks_started().size() == ranks; }));
    const std::vector<pid_t> pids = ranks_started();

    kill(launcher, GetParam());
    int status = 0;
    waitpid(launcher, &status, 0);

    EXPECT_TRUE(!WIFEXITED(status) || WEXITSTATUS(status) != 0);
    for (const pid_t pid : pids)
        EXPECT_TRUE(within_seconds(10, [&] { return kill(pid, 0) != 0 && errno == ESRCH; }))
            << "rank left: " << pid;
}

INSTANTIATE_TEST_SUITE_P(OfTheLauncher, Signals, ::testing::Values(SIGTERM, SIGINT, SIGKILL));

} // namespace
} // namespace rankfold::launcher::testing
