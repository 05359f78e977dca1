// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// BC-65: communicators made and destroyed many times leave nothing behind.
#include "rankfold/rankfold.hpp"
#include "support/distributed.hpp"
#include "support/expect.hpp"

#include <filesystem>
#include <fstream>
#include <sys/resource.h>

namespace rankfold::test {
namespace {

std::ptrdiff_t entries_of(const char* directory)
{
    return std::distance(std::filesystem::directory_iterator(directory), {});
}

// NCCL takes half a second to make a communicator.
int cycles()
{
    return communicator(MPI_COMM_WORLD).backend() == backend::cuda && world_size() > 1 ? 20 : 200;
}

TEST(Cycles, OfManyCommunicatorsLeaveNeitherDescriptorsNorThreads)
{
    const int count = cycles();
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, 256);
    setrlimit(RLIMIT_NOFILE, &limit);
    const std::vector<std::int64_t> mine{world_rank()};
    std::ptrdiff_t descriptors = 0;
    std::ptrdiff_t threads = 0;

    for (int cycle = 0; cycle < count; ++cycle) {
        const communicator comm(MPI_COMM_WORLD);
        const auto total = all_reduce<std::int64_t>(comm, sum, std::span(mine));
        if (cycle == 5) {
            descriptors = entries_of("/proc/self/fd");
            threads = entries_of("/proc/self/task");
        }

        ASSERT_EQ(total, world_size() * (world_size() - 1) / 2);
    }

    const communicator comm(MPI_COMM_WORLD);
    EXPECT_NEAR(static_cast<double>(entries_of("/proc/self/fd")), static_cast<double>(descriptors), 4);
    EXPECT_NEAR(static_cast<double>(entries_of("/proc/self/task")), static_cast<double>(threads), 1);
}

TEST(Cycles, OfFourHundredPlansDoNotGrowTheProcess)
{
    const communicator comm(MPI_COMM_WORLD);
    const auto resident_pages = [] {
        std::ifstream statm("/proc/self/statm");
        std::int64_t size = 0;
        std::int64_t resident = 0;
        statm >> size >> resident;
        return resident;
    };
    std::int64_t before = 0;

    for (int cycle = 0; cycle < 400; ++cycle) {
        scan_plan<float> plan(comm, inclusive, sum, {.max_count = 1 << 20});
        before = cycle == 50 ? resident_pages() : before;
    }

    EXPECT_LT(resident_pages() - before, 4096) << "pages";
}

} // namespace
} // namespace rankfold::test
