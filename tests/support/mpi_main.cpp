// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// main() of every GoogleTest program that runs under mpirun. Rank 0 prints as usual; the other ranks print
// only their failures, each line headed by the rank. After every test the ranks agree on whether it failed.
#include "support/distributed.hpp"

#include <cstdio>
#include <memory>
#include <vector>

namespace {

using rankfold::test::world_rank;
using rankfold::test::world_size;

/// Asks GoogleTest for nothing while it reports: it holds its lock.
class failure_printer : public testing::EmptyTestEventListener {
    void OnTestStart(const testing::TestInfo& test) override
    {
        name_ = std::string(test.test_suite_name()) + "." + test.name();
    }
    void OnTestPartResult(const testing::TestPartResult& result) override
    {
        if (result.failed()) {
            std::fprintf(stderr, "[rank %d] %s: %s:%d: %s\n", world_rank(), name_.c_str(),
                         result.file_name() ? result.file_name() : "?", result.line_number(),
                         result.message());
            std::fflush(stderr);
        }
    }

    std::string name_;
};

/// Makes a failure on one rank a failure of the test on all. Stands last, so that it comes before the
/// printers.
class failure_spreader : public testing::EmptyTestEventListener {
    void OnTestEnd(const testing::TestInfo& test) override
    {
        const int failed_here = test.result()->Failed() ? 1 : 0;
        std::vector<int> failed(static_cast<std::size_t>(world_size()));
        MPI_Allgather(&failed_here, 1, MPI_INT, failed.data(), 1, MPI_INT, MPI_COMM_WORLD);
        std::string ranks;
        for (std::size_t r = 0; r < failed.size(); ++r) {
            ranks += failed[r] ? " " + std::to_string(r) : "";
        }
        if (!ranks.empty() && !failed_here && world_rank() == 0) {
            ADD_FAILURE() << "failed on ranks" << ranks;
        }
    }
};

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    testing::InitGoogleTest(&argc, argv);
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    if (world_rank() != 0) {
        delete listeners.Release(listeners.default_result_printer());
    }
    if (world_rank() != 0) {
        listeners.Append(new failure_printer);
    }
    listeners.Append(new failure_spreader);

    const bool failed = rankfold::test::on_any_rank(RUN_ALL_TESTS() != 0);

    MPI_Finalize();
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
