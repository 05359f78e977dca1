// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the tests of output files share.
#pragma once

#include "expect_problem.hpp"
#include "file_bytes.hpp"
#include "output_file.hpp"
#include "support/distributed.hpp"

#include <memory>
#include <numeric>

namespace field_stats::test {

/// One folder for all ranks, made and removed by rank 0.
class OutputFolder : public testing::Test {
protected:
    void SetUp() override
    {
        if (rankfold::test::world_rank() == 0) {
            folder_ = std::make_unique<scratch_folder>();
        }
        path_ = broadcast(MPI_COMM_WORLD, rankfold::test::world_rank() == 0 ? folder_->path("sums.npy") : "");
    }
    void TearDown() override { MPI_Barrier(MPI_COMM_WORLD); }

    void write(std::int64_t count, std::int64_t reserve_bytes, const std::string& head = "head")
    {
        output_file file(MPI_COMM_WORLD, path_, "input", reserve_bytes);
        const piece mine = piece_of(count, rankfold::test::world_rank(), rankfold::test::world_size());
        std::vector<std::int64_t> values(static_cast<std::size_t>(mine.count));
        std::iota(values.begin(), values.end(), mine.first);
        progress bar(progress_mode::never, false);
        write_field(MPI_COMM_WORLD, file, head, count, std::span(values), bar);
    }
    /// Rank 0: what lies in the folder; other ranks: nothing.
    std::vector<std::string> names()
    {
        MPI_Barrier(MPI_COMM_WORLD);
        return folder_ ? folder_->names() : std::vector<std::string>();
    }

    std::unique_ptr<scratch_folder> folder_;
    std::string path_;
};

} // namespace field_stats::test
