// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Outputs appear whole or not at all. A full disk is played by the limit on the size of files.
#include "output_folder.hpp"

#include <csignal>
#include <sys/resource.h>

namespace {

using namespace field_stats;
using rankfold::test::world_rank;
using rankfold::test::world_size;

/// Room for so many bytes in a file, on this rank; then SIGXFSZ would kill, EFBIG is what a program should
/// meet.
class file_size_limit {
public:
    explicit file_size_limit(rlim_t bytes)
    {
        std::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &old_);
        const rlimit limit{bytes, old_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~file_size_limit() { ::setrlimit(RLIMIT_FSIZE, &old_); }

private:
    rlimit old_{};
};

using OutputFile = test::OutputFolder;

TEST_F(OutputFile, HoldsHeadAndPiecesOfAllRanks)
{
    const std::int64_t count = 100'003;
    std::vector<std::int64_t> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);

    write(count, 4 + 8 * count);

    if (folder_) {
        EXPECT_EQ(folder_->read("sums.npy"), "head" + test::bytes_in_order(all, std::endian::little));
        EXPECT_EQ(folder_->names(), std::vector<std::string>{"sums.npy"});
    }
}

TEST_F(OutputFile, ReplacesALongerFileWhole)
{
    if (folder_) {
        folder_->write("sums.npy", std::string(1'000'000, 'x'));
    }

    write(1000, 8000, "");

    if (folder_) {
        EXPECT_EQ(folder_->read("sums.npy").size(), 8000U);
    }
}

TEST_F(OutputFile, FindsAFullDiskBeforeAnythingIsWritten)
{
    const file_size_limit limit(100'000);

    EXPECT_PROBLEM(write(100'000, 800'000), "cannot take 800000 bytes of disk");

    EXPECT_TRUE(names().empty());
}

TEST_F(OutputFile, LeavesNothingWhenTheDiskFillsOnTheWay)
{
    const file_size_limit limit(100'000);

    EXPECT_PROBLEM(write(100'000, 0), "writing");

    EXPECT_TRUE(names().empty());
}

TEST_F(OutputFile, FailsOnEveryRankIfTheLastCannotWrite)
{
    const bool last = world_rank() == world_size() - 1;
    const file_size_limit limit(last ? 1000 : RLIM_INFINITY);

    EXPECT_THROW(write(100'000, 0), rankfold::error);

    EXPECT_TRUE(names().empty());
}

TEST_F(OutputFile, KeepsTheOldFileWhenTheNewOneFails)
{
    if (folder_) {
        folder_->write("sums.npy", "old");
    }
    const file_size_limit limit(100'000);

    EXPECT_THROW(write(100'000, 0), rankfold::error);

    if (folder_) {
        EXPECT_EQ(folder_->read("sums.npy"), "old");
        EXPECT_EQ(folder_->names(), std::vector<std::string>{"sums.npy"});
    }
}

TEST_F(OutputFile, RefusesWhatIsNoRegularFile)
{
    EXPECT_PROBLEM(output_file(MPI_COMM_WORLD, "/dev/null", "input", 8),
                   "/dev/null: cannot write: not a regular file");
    EXPECT_PROBLEM(output_file(MPI_COMM_WORLD, path_ + "/none/sums", "input", 8),
                   "No such file or directory");
}

TEST_F(OutputFile, RefusesToReplaceItsInput)
{
    if (folder_) {
        folder_->write("sums.npy", "input");
    }
    MPI_Barrier(MPI_COMM_WORLD);

    EXPECT_PROBLEM(output_file(MPI_COMM_WORLD, path_, path_, 8), "it is the input");
}

} // namespace
