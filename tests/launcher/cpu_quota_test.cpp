// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Quotas in folders that look like those of the kernel.
#include "doctor/cpu_quota.hpp"

#include "support.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace rankfold::launcher::testing {
namespace {

class Quota : public ::testing::Test {
protected:
    void write(const std::string& file, const std::string& text) const
    {
        const std::filesystem::path path = folder_.path() + "/" + file;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text << "\n";
    }

    double quota() const { return cpu_quota(folder_.path(), folder_.path() + "/own"); }

    temporary_folder folder_;
};

TEST_F(Quota, IsNoneWithoutCgroups)
{
    EXPECT_EQ(quota(), 0);
    write("own", "0::/a");
    write("cpu.max", "max 100000");
    EXPECT_EQ(quota(), 0);
}

TEST_F(Quota, IsTheLeastOfAllCgroupsAbove)
{
    write("own", "0::/slice/job/step");
    write("slice/job/step/cpu.max", "max 100000");
    write("slice/job/cpu.max", "150000 100000");
    write("slice/cpu.max", "400000 100000");
    EXPECT_EQ(quota(), 1.5);
    write("slice/job/step/cpu.max", "200000 100000");
    EXPECT_EQ(quota(), 1.5);
    write("slice/job/step/cpu.max", "50000 100000");
    EXPECT_EQ(quota(), 0.5);
}

// In a container the file may name the path outside of it.
TEST_F(Quota, IsThatOfTheRootWhereThePathIsNotMounted)
{
    write("own", "0::/../../docker/0123");
    write("cpu.max", "250000 100000");
    EXPECT_EQ(quota(), 2.5);
}

TEST_F(Quota, IsReadFromCgroup1)
{
    write("own", "5:memory:/other\n4:cpu,cpuacct:/slice/job\n0::/");
    write("cpu/slice/job/cpu.cfs_quota_us", "-1");
    write("cpu/slice/job/cpu.cfs_period_us", "100000");
    EXPECT_EQ(quota(), 0);
    write("cpu/slice/cpu.cfs_quota_us", "75000");
    write("cpu/slice/cpu.cfs_period_us", "25000");
    EXPECT_EQ(quota(), 3);
}

} // namespace
} // namespace rankfold::launcher::testing
