// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pieces are cut evenly, and move in several rounds where they are longer than MPI's int counts allow (here:
// 1000 bytes).
#include "expect_problem.hpp"
#include "file_bytes.hpp"
#include "piece_file.hpp"
#include "support/distributed.hpp"

#include <memory>

namespace {

using namespace field_stats;
using rankfold::test::world_rank;
using rankfold::test::world_size;

TEST(PieceOf, CoversAllWithoutGaps)
{
    for (const std::int64_t count :
         {std::int64_t{0}, std::int64_t{5}, std::int64_t{7}, std::int64_t{1} << 40}) {
        std::int64_t next = 0;
        for (int rank = 0; rank < 7; ++rank) {
            const piece mine = piece_of(count, rank, 7);
            EXPECT_EQ(mine.first, next);
            EXPECT_LE(mine.count, piece_of(count, 0, 7).count);
            next += mine.count;
        }
        EXPECT_EQ(next, count);
    }
}

class PieceFile : public testing::Test {
protected:
    void SetUp() override
    {
        if (world_rank() == 0) {
            folder_ = std::make_unique<test::scratch_folder>();
            folder_->write("bytes", content_);
        }
        const std::string path = broadcast(MPI_COMM_WORLD, folder_ ? folder_->path("bytes") : "");
        const auto count = static_cast<std::int64_t>(content_.size());
        mine_ = piece_of(count, world_rank(), world_size());
        how_ = {.comm = MPI_COMM_WORLD, .path = path, .offset_bytes = mine_.first, .round_bytes = 1000};
        bytes_.resize(static_cast<std::size_t>(mine_.count));
    }
    void TearDown() override { MPI_Barrier(MPI_COMM_WORLD); }

    static std::string some_bytes()
    {
        std::string result;
        for (int i = 0; i < 23'456; ++i) {
            result += static_cast<char>(i * 7919 % 251);
        }
        return result;
    }

    const std::string content_ = some_bytes();
    std::unique_ptr<test::scratch_folder> folder_;
    progress bar_{progress_mode::never, false};
    piece mine_{};
    transfer how_{};
    std::vector<std::byte> bytes_;
};

TEST_F(PieceFile, ReadsInRounds)
{
    read_bytes(how_, bytes_, bar_);

    const std::string read(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
    EXPECT_TRUE(read == content_.substr(static_cast<std::size_t>(mine_.first), bytes_.size()));
}

TEST_F(PieceFile, WritesInRounds)
{
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
        bytes_[i] = static_cast<std::byte>(~content_[static_cast<std::size_t>(mine_.first) + i]);
    }

    write_bytes(how_, bytes_, bar_);

    if (folder_) {
        const std::string written = folder_->read("bytes");
        ASSERT_EQ(written.size(), content_.size());
        for (std::size_t i = 0; i < written.size(); ++i) {
            ASSERT_EQ(written[i], static_cast<char>(~content_[i])) << i;
        }
    }
}

TEST_F(PieceFile, FailsOnEveryRankIfTheFileHasBecomeShorter)
{
    if (folder_) {
        folder_->write("bytes", content_.substr(0, content_.size() - 1));
    }
    MPI_Barrier(MPI_COMM_WORLD);

    EXPECT_PROBLEM(read_bytes(how_, bytes_, bar_), "moved (rank " + std::to_string(world_size() - 1) + ")");
}

} // namespace
