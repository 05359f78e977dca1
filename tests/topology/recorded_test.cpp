// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Machines from files and descriptions: what is read of them, and what is said of files that cannot be read.
#include "topology/error.hpp"
#include "topology/load.hpp"

#include <filesystem>
#include <fstream>
#include <future>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace rankfold::topology {
namespace {

std::string refusal(auto&& load)
{
    try {
        load();
    } catch (const topology_error& error) {
        return error.what();
    }
    return "accepted";
}

void expect_equal(const machine& a, const machine& b)
{
    EXPECT_EQ(a.packages, b.packages);
    EXPECT_EQ(a.allowed_threads, b.allowed_threads);
    EXPECT_EQ(a.cgroup_threads, b.cgroup_threads);
    EXPECT_EQ(a.allowed_nodes, b.allowed_nodes);
    EXPECT_EQ(a.distances, b.distances);
    ASSERT_EQ(a.numa_nodes.size(), b.numa_nodes.size());
    for (std::size_t n = 0; n < a.numa_nodes.size(); ++n) {
        EXPECT_EQ(a.numa_nodes[n].os_index, b.numa_nodes[n].os_index);
        EXPECT_EQ(a.numa_nodes[n].package, b.numa_nodes[n].package);
        EXPECT_EQ(a.numa_nodes[n].has_cores, b.numa_nodes[n].has_cores);
        EXPECT_EQ(a.numa_nodes[n].threads, b.numa_nodes[n].threads);
    }
    ASSERT_EQ(a.cores.size(), b.cores.size());
    for (std::size_t c = 0; c < a.cores.size(); ++c) {
        EXPECT_EQ(a.cores[c].package, b.cores[c].package);
        EXPECT_EQ(a.cores[c].numa, b.cores[c].numa);
        EXPECT_EQ(a.cores[c].threads, b.cores[c].threads);
    }
}

// hwloc reads the second form, in which every hardware thread has a cache of its own.
TEST(Synthetic, IsTheMachineThatHwlocMakes)
{
    for (const char* levels :
         {"package:2 numa:2 core:3", "pack:3 core:4", "node:2 core:5", "core:7", "package:2", "numa:4",
          "Package:1 NUMANode:1 Core:1", "package:2 numa:1 core:2", "package:4 numa:3"}) {
        for (const char* threads : {"pu:1", "pu:2", "PU:4"}) {
            SCOPED_TRACE(std::string(levels) + " " + threads);
            expect_equal(load_synthetic(std::string(levels) + " " + threads),
                         load_synthetic(std::string(levels) + " l1:1 " + threads));
        }
    }
}

TEST(Synthetic, IsHwlocsWhereItIsNotPlain)
{
    EXPECT_EQ(load_synthetic("numa:2 package:2 core:2 pu:1").packages, 4);
    EXPECT_EQ(load_synthetic("package:1 core:2 pu:2(indexes=2*2:1*2)").cores[1].threads, (index_set{1, 3}));
    for (const char* bad :
         {"", "core:2 core:2", "pu:2 core:2", "package:x pu:1", "package:2 pu:0", "core", "core:-1 pu:1"}) {
        EXPECT_NE(refusal([&] { load_synthetic(bad); }), "accepted") << bad;
    }
}

TEST(Synthetic, OfMoreThreadsThanFitIsRefused)
{
    EXPECT_EQ(load_synthetic("core:32768 pu:2").cores.size(), 32768U);
    for (const char* description :
         {"core:32769 pu:2", "package:2147483647 numa:2147483647 core:2147483647 pu:2"}) {
        EXPECT_NE(refusal([&] { load_synthetic(description); }).find("more than 65536 hardware threads"),
                  std::string::npos)
            << description;
    }
}

// As hwloc 3 writes it: another format, the version among the properties of the topology.
TEST(Recorded, ByANewerHwlocSaysWhoWroteItAndWhoReadsIt)
{
    const std::string by_3 = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc3.dtd">
<topology version="3.0">
  <object type="Machine" os_index="0" cpuset="0x1" complete_cpuset="0x1" allowed_cpuset="0x1" nodeset="0x1"
          complete_nodeset="0x1" allowed_nodeset="0x1" gp_index="1">
    <object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1"/>
  </object>
  <info name="hwlocVersion" value="3.0.0a1-git"/>
</topology>
)";

    const std::string words = refusal([&] { load_xml_text(by_3); });

    for (const char* part :
         {"written by hwloc 3.0.0a1-git, format 3.0", "read by hwloc 2.", "lstopo of hwloc 2"}) {
        EXPECT_NE(words.find(part), std::string::npos) << words;
    }
}

TEST(Recorded, ByAnOldHwlocSaysSo)
{
    const std::string by_1 = "<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc.dtd\">\n<topology>\n"
                             "<object type=\"System\" os_level=\"-1\"></object>\n</topology>\n";

    const std::string words = refusal([&] { load_xml_text(by_1); });

    EXPECT_NE(words.find("written by hwloc 1"), std::string::npos) << words;
    EXPECT_NE(words.find("read by hwloc 2."), std::string::npos) << words;
}

TEST(Recorded, MustBeARegularFile)
{
    const std::string pipe =
        (std::filesystem::temp_directory_path() / ("rankfold-pipe." + std::to_string(getpid()))).string();
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);

    auto words = std::async(std::launch::async, [&] { return refusal([&] { load_xml(pipe); }); });
    const bool waited = words.wait_for(std::chrono::seconds(20)) != std::future_status::ready;
    if (waited) {
        std::ofstream unblock(pipe);
    }
    std::filesystem::remove(pipe);

    EXPECT_FALSE(waited) << "the pipe was opened";
    EXPECT_NE(words.get().find(pipe + "' is not a regular file"), std::string::npos);
    EXPECT_NE(refusal([] { load_xml("/tmp"); }).find("is not a regular file"), std::string::npos);
    EXPECT_NE(refusal([] { load_xml("/nonexistent"); }).find("cannot be read"), std::string::npos);
}

} // namespace
} // namespace rankfold::topology
