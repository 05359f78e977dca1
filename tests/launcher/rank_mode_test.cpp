// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
// Rank mode around a real program on this machine; the program itself reads back what the kernel holds.
#include "support.hpp"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sched.h>
#include <sstream>

namespace rankfold::launcher::testing {
namespace {

using words = std::vector<std::string>;

const words rank_0_of_1{"OMPI_COMM_WORLD_LOCAL_RANK=0", "OMPI_COMM_WORLD_LOCAL_SIZE=1", "OMP_NUM_THREADS",
                        "OMP_PLACES"};

words rank_of(int rank, int size)
{
    return {"OMPI_COMM_WORLD_LOCAL_RANK=" + std::to_string(rank),
            "OMPI_COMM_WORLD_LOCAL_SIZE=" + std::to_string(size), "OMP_NUM_THREADS", "OMP_PLACES"};
}

std::vector<int> own_mask()
{
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
    std::vector<int> cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(static_cast<unsigned>(cpu), &mask))
            cpus.push_back(cpu);
    return cpus;
}

std::vector<int> mask_in(const std::string& output)
{
    std::istringstream stream(output.substr(output.find("mask") + 4));
    std::vector<int> cpus;
    for (int cpu = 0; stream >> cpu;)
        cpus.push_back(cpu);
    return cpus;
}

TEST(RankMode, BindsEachRankInsideTheInheritedMask)
{
    const std::vector<int> mine = own_mask();
    for (int rank = 0; rank < 2; ++rank) {
        const outcome got = run(tool({"--strict", "--oversubscribe", "--", PROBE}), rank_of(rank, 2));

        ASSERT_EQ(got.status, 0) << got.err;
        const std::vector<int> held = mask_in(got.out);
        EXPECT_FALSE(held.empty());
        EXPECT_TRUE(std::includes(mine.begin(), mine.end(), held.begin(), held.end())) << got.out;
    }
}

TEST(RankMode, GivesTwoRanksDifferentCores)
{
    const outcome first = run(tool({"--strict", "--", PROBE}), rank_of(0, 2));
    const outcome second = run(tool({"--strict", "--", PROBE}), rank_of(1, 2));
    if (first.status == 2)
        GTEST_SKIP() << "this machine has one core: " << first.err;

    ASSERT_EQ(first.status, 0) << first.err;
    std::vector<int> a = mask_in(first.out);
    std::vector<int> b = mask_in(second.out);
    std::vector<int> both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    EXPECT_TRUE(both.empty()) << first.out << second.out;
    EXPECT_TRUE(has(first.out, "OMP_NUM_THREADS="));
    EXPECT_TRUE(has(first.out, "OMP_PLACES={"));
}

TEST(RankMode, LeavesTheMaskAloneIfAskedTo)
{
    const outcome got = run(tool({"--no-bind", "--", PROBE}), rank_of(1, 2));

    ASSERT_EQ(got.status, 0) << got.err;
    EXPECT_EQ(mask_in(got.out), own_mask());
    EXPECT_FALSE(has(got.out, "OMP_PLACES"));
}

TEST(RankMode, PassesArgumentsAndTheExitStatusOn)
{
    const outcome got =
        run(tool({"--", "sh", "-c", "echo \"<$1>\"; exit 3", "sh", "a b; $(id) *"}), rank_0_of_1);

    EXPECT_EQ(got.status, 3);
    EXPECT_EQ(got.out, "<a b; $(id) *>\n");
    EXPECT_EQ(got.err, "");
}

TEST(RankMode, RefusesProgramsThatCannotRun)
{
    const temporary_folder folder;
    EXPECT_EQ(run(tool({"--", "/nonexistent/app"}), rank_0_of_1).status, 127);
    EXPECT_EQ(run(tool({"--", "no-such-program-anywhere"}), rank_0_of_1).status, 127);
    EXPECT_EQ(run(tool({"--", folder.path()}), rank_0_of_1).status, 126);
    EXPECT_EQ(run(tool({"--", "/etc/passwd"}), rank_0_of_1).status, 126);
    const outcome garbage = run(tool({"--", "./garbage"}), rank_0_of_1);
    EXPECT_EQ(garbage.status, 127);
    EXPECT_TRUE(has(garbage.err, "'./garbage' does not exist"));
}

TEST(RankMode, RefusesBadSurroundingsWithAReason)
{
    const words app{"--", PROBE};
    const auto refuse = [&](const words& options, const words& variables, const std::string& reason) {
        const outcome got = run(tool(plus(options, app)), variables);
        EXPECT_EQ(got.status, 2) << reason;
        EXPECT_EQ(got.out, "") << "started in spite of: " << reason;
        EXPECT_TRUE(has(got.err, reason)) << got.err;
    };

    refuse({}, {}, "which rank is this?");
    refuse({}, {"OMPI_COMM_WORLD_LOCAL_RANK=zero"}, "OMPI_COMM_WORLD_LOCAL_RANK is 'zero'");
    refuse({}, {"OMPI_COMM_WORLD_LOCAL_RANK=0", "MPI_LOCALRANKID=1"}, "disagree");
    refuse({}, {"PALS_LOCAL_RANKID=0"}, "--ranks-per-node");
    refuse({"--ranks-per-node", "2"}, {"PALS_LOCAL_RANKID=2"}, "PALS_LOCAL_RANKID is 2, expected 0 to 1");
    refuse({"--ranks-per-node", "3"}, rank_0_of_1, "--ranks-per-node 3");
    refuse({}, rank_of(0, 100000), "--oversubscribe");
    refuse({}, plus(rank_0_of_1, {"HWLOC_XMLFILE=" + machine_path("no-gpu")}), "HWLOC_XMLFILE=");
    refuse({}, plus(rank_0_of_1, {"HWLOC_SYNTHETIC=pack:2 core:2 pu:1"}), "HWLOC_SYNTHETIC=");
    refuse({"--topology", machine_path("dgx-h100")}, rank_0_of_1, "is of another machine");
    refuse({"--synthetic", "pack:3 core:5 pu:2"}, rank_0_of_1, "is of another machine");
    refuse({"--synthetic", "nonsense"}, rank_0_of_1, "'nonsense' is not an hwloc synthetic topology");
    refuse({"--topology", "/nonexistent.xml"}, rank_0_of_1, "'/nonexistent.xml' cannot be read");
    refuse({"--topology", PROBE_SOURCE}, rank_0_of_1, "is not an hwloc topology");
}

// hwloc 2.9 dereferences a null pointer if the machine has no complete_cpuset.
TEST(RankMode, SurvivesAFileOnWhichHwlocCrashes)
{
    const temporary_folder folder;
    std::ifstream stream(machine_path("one-core"));
    std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    text.replace(text.find("complete_cpuset"), 8, "partial_");
    const std::string file = folder.script("bad.xml", text);

    const outcome got = run(tool({"--dry-run", "-n", "1", "--topology", file}));

    EXPECT_EQ(got.status, 2);
    EXPECT_TRUE(has(got.err, "hwloc cannot load") || has(got.err, "hwloc crashes")) << got.err;
}

TEST(RankMode, ShowsAPlanWithoutStartingAnything)
{
    const outcome first =
        run(tool({"--dry-run", "--synthetic", "pack:2 core:2 pu:1", "--", "/nonexistent"}), rank_of(0, 4));
    const outcome other =
        run(tool({"--dry-run", "--synthetic", "pack:2 core:2 pu:1", "--", "/nonexistent"}), rank_of(1, 4));

    EXPECT_EQ(first.status, 0) << first.err;
    EXPECT_TRUE(has(first.out, "2 packages"));
    EXPECT_EQ(std::count(first.out.begin(), first.out.end(), '\n'), 6);
    EXPECT_EQ(other.out, "");
}

// BC-85: memory binding is not permitted, binding to cores is.
TEST(RankMode, KeepsTheCoresWhereMemoryBindingIsForbidden)
{
    const outcome got = run(plus({DENY, "set_mempolicy"}, tool({"--", PROBE})), rank_0_of_1);
    if (got.status == 77)
        GTEST_SKIP() << "no seccomp filter here";

    EXPECT_EQ(got.status, 0);
    EXPECT_TRUE(has(got.err, "memory binding is not permitted here")) << got.err;
    EXPECT_EQ(std::count(got.err.begin(), got.err.end(), '\n'), 1) << got.err;
    EXPECT_TRUE(has(got.out, "mask"));
}

TEST(RankMode, ExitsWith3IfAStrictBindingDoesNotHold)
{
    const outcome strict =
        run(plus({DENY, "sched_setaffinity"}, tool({"--strict", "--", PROBE})), rank_0_of_1);
    const outcome lax = run(plus({DENY, "sched_setaffinity"}, tool({"--", PROBE})), rank_0_of_1);
    if (strict.status == 77)
        GTEST_SKIP() << "no seccomp filter here";

    EXPECT_EQ(strict.status, 3);
    EXPECT_EQ(strict.out, "");
    EXPECT_TRUE(has(strict.err, "cannot bind to hardware threads")) << strict.err;
    EXPECT_EQ(lax.status, 0);
    EXPECT_TRUE(has(lax.out, "mask"));
}

// The kernel says yes and does nothing.
TEST(RankMode, BelievesTheMaskItReadsBackNotTheAnswer)
{
    if (own_mask().size() < 2) {
        GTEST_SKIP() << "this machine has one core";
    }
    const words lie{DENY, "sched_setaffinity", "silently"};
    const outcome strict = run(plus(lie, tool({"--strict", "--", PROBE})), rank_of(1, 2));
    if (strict.status == 77) {
        GTEST_SKIP() << "no seccomp filter here";
    }

    EXPECT_EQ(strict.status, 3);
    EXPECT_EQ(strict.out, "");
    EXPECT_TRUE(has(strict.err, "asked for hardware threads ")) << strict.err;
    EXPECT_TRUE(has(strict.err, ", the kernel holds ")) << strict.err;
}

// A stand-in for ldd says that the program is linked with MPICH, and Open MPI started it.
TEST(RankMode, WarnsOfAStarterOfAnotherMpi)
{
    const temporary_folder folder;
    (void)folder.script(
        "ldd", "#!/bin/sh\necho '  libmpich.so.12 => /usr/lib/libmpich.so.12 (0x00007f0000000000)'\n");
    const words job =
        plus(rank_of(0, 2), {"PATH=" + folder.path() + ":/usr/bin:/bin", "OMPI_COMM_WORLD_SIZE=2"});
    const std::string reason =
        "2 tasks started by Open MPI (OMPI_COMM_WORLD_SIZE), and the program is linked with "
        "MPICH (libmpich.so.12): each task would be a world of 1 rank";

    const outcome lax = run(tool({"--oversubscribe", "--", PROBE}), job);
    const outcome strict = run(tool({"--oversubscribe", "--strict", "--", PROBE}), job);
    const outcome doctor = run(tool({"--doctor", "--", PROBE}), job);
    const outcome alone = run(tool({"--", PROBE}), plus(rank_0_of_1, {job[4], "OMPI_COMM_WORLD_SIZE=1"}));

    EXPECT_EQ(lax.status, 0);
    EXPECT_TRUE(has(lax.err, "warning: " + reason)) << lax.err;
    EXPECT_EQ(strict.status, 3);
    EXPECT_EQ(strict.out, "");
    EXPECT_TRUE(has(strict.err, reason)) << strict.err;
    EXPECT_EQ(doctor.status, 1);
    EXPECT_TRUE(has(doctor.out, reason)) << doctor.out;
    EXPECT_EQ(alone.status, 0);
    EXPECT_EQ(alone.err, "");
}

TEST(RankMode, TellsWhatTheKernelHolds)
{
    const outcome got = run(tool({"--verbose", "--", PROBE}), rank_0_of_1);

    EXPECT_EQ(got.status, 0);
    EXPECT_TRUE(has(got.err, "rank 0 of this node: the kernel holds threads")) << got.err;
}

} // namespace
} // namespace rankfold::launcher::testing
