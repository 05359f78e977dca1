// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What an output that is replaced keeps: links to it, its mode and its owner; and what cannot be kept.
#include "output_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace {

using namespace field_stats;
using rankfold::test::world_rank;
namespace fs = std::filesystem;

using OutputRights = test::OutputFolder;

struct stat status_of(const std::string& path)
{
    struct stat result {};
    EXPECT_EQ(::stat(path.c_str(), &result), 0) << path;
    return result;
}

TEST_F(OutputRights, FollowsLinksAndKeepsThem)
{
    if (folder_) {
        folder_->write("real/sums.npy", "old");
        fs::create_symlink("real/sums.npy", folder_->path("second"));
        fs::create_symlink("second", folder_->path("sums.npy"));
    }

    write(1000, 8000, "");

    if (folder_) {
        EXPECT_EQ(fs::read_symlink(folder_->path("sums.npy")), "second");
        EXPECT_EQ(fs::read_symlink(folder_->path("second")), "real/sums.npy");
        EXPECT_EQ(folder_->read("real/sums.npy").size(), 8000U);
        EXPECT_EQ(fs::hard_link_count(folder_->path("real/sums.npy")), 1U);
    }
}

TEST_F(OutputRights, MakesTheFileThatALinkIsWaitingFor)
{
    if (folder_) {
        fs::create_directory(folder_->path("real"));
        fs::create_symlink(folder_->path("real/new.npy"), folder_->path("sums.npy"));
    }

    write(1000, 8000, "");

    if (folder_) {
        EXPECT_TRUE(fs::is_symlink(folder_->path("sums.npy")));
        EXPECT_EQ(folder_->read("real/new.npy").size(), 8000U);
    }
}

TEST_F(OutputRights, RefusesLinksThatLeadNowhere)
{
    if (folder_) {
        fs::create_symlink("sums.npy", folder_->path("sums.npy"));
    }

    EXPECT_PROBLEM(write(1000, 8000), "Too many levels of symbolic links");
}

TEST_F(OutputRights, KeepsTheMode)
{
    for (const mode_t mode : {0600U, 0640U, 0666U}) {
        if (folder_) {
            folder_->write("sums.npy", "old");
            ::chmod(path_.c_str(), mode);
        }

        write(1000, 8000);

        if (folder_) {
            EXPECT_EQ(status_of(path_).st_mode & 0777, mode);
        }
    }
}

TEST_F(OutputRights, KeepsTheOwner)
{
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(::geteuid() != 0, "only root may give files away");
    if (folder_) {
        folder_->write("sums.npy", "old");
        ASSERT_EQ(::chown(path_.c_str(), 1000, 1001), 0);
    }

    write(1000, 8000);

    if (folder_) {
        EXPECT_EQ(status_of(path_).st_uid, 1000U);
        EXPECT_EQ(status_of(path_).st_gid, 1001U);
        EXPECT_EQ(folder_->read("sums.npy").size(), 8004U);
    }
}

TEST_F(OutputRights, RefusesAFileOfSeveralNames)
{
    if (folder_) {
        folder_->write("sums.npy", "old");
        fs::create_hard_link(path_, folder_->path("other"));
    }

    EXPECT_PROBLEM(write(1000, 8000), "sums.npy: cannot write: the file has 2 names (hard links)");

    if (folder_) {
        EXPECT_EQ(folder_->read("sums.npy") + folder_->read("other"), "oldold");
        EXPECT_EQ(folder_->names().size(), 2U);
    }
}

/// Root may write anywhere: for the life of the object it is somebody else.
class ordinary_user {
public:
    ordinary_user() : was_root_(::geteuid() == 0)
    {
        if (was_root_ && ::seteuid(65534) != 0) {
            ADD_FAILURE() << "seteuid";
        }
    }
    ~ordinary_user()
    {
        if (was_root_ && ::seteuid(0) != 0) {
            ADD_FAILURE() << "seteuid";
        }
    }
    ordinary_user(const ordinary_user&) = delete;
    ordinary_user& operator=(const ordinary_user&) = delete;

private:
    bool was_root_;
};

TEST_F(OutputRights, NamesAFolderThatIsNotWritable)
{
    if (folder_) {
        folder_->write("sums.npy", "old");
        ::chmod(path_.c_str(), 0666);
        ::chmod(folder_->path("").c_str(), 0555);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    {
        const ordinary_user nobody;
        EXPECT_PROBLEM(write(1000, 8000), "name a file in a folder that is writable");
    }

    if (folder_) {
        EXPECT_EQ(folder_->read("sums.npy"), "old");
        ::chmod(folder_->path("").c_str(), 0755);
    }
}

TEST_F(OutputRights, RefusesAnOwnerThatItCannotKeep)
{
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(::geteuid() != 0, "only root has files of two owners");
    if (folder_) {
        folder_->write("sums.npy", "old");
        ::chmod(path_.c_str(), 0666);
        ::chmod(folder_->path("").c_str(), 0777);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    {
        const ordinary_user nobody;
        EXPECT_PROBLEM(write(1000, 8000), "the file belongs to user 0, group");
    }

    if (folder_) {
        EXPECT_EQ(folder_->read("sums.npy"), "old");
        EXPECT_EQ(folder_->names(), std::vector<std::string>{"sums.npy"});
    }
}

} // namespace
