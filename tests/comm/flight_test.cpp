// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Flight records: written when a call fails, or on request; merged they name the first call at which ranks
// diverge.
#include "flight/flight_record.hpp"
#include "rankfold/rankfold.hpp"
#include "support/backend_data.hpp"
#include "support/distributed.hpp"
#include "support/expect.hpp"

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace rankfold::test {
namespace {

using launcher::first_divergence;
using launcher::flight_record;

/// The same new folder on all ranks.
class Flight : public testing::Test {
protected:
    void SetUp() override
    {
        int pid = getpid();
        MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
        folder_ = std::filesystem::temp_directory_path() / ("rankfold_flight_" + std::to_string(pid));
        std::filesystem::create_directories(folder_);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    void TearDown() override
    {
        MPI_Barrier(MPI_COMM_WORLD);
        if (world_rank() == 0) {
            std::filesystem::remove_all(folder_);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }

    static float reduced(const communicator& comm, std::string_view label)
    {
        const std::vector<float> one{1.0F};
        return all_reduce<float>(comm, sum, std::span(one), {}, {.label = label});
    }
    static flight_record read(const std::filesystem::path& path)
    {
        std::ifstream in(path);
        return launcher::read_flight_record(in, path);
    }
    /// What all ranks have written to the folder.
    std::vector<flight_record> all_records() const
    {
        MPI_Barrier(MPI_COMM_WORLD);
        std::vector<flight_record> records;
        for (const auto& file : std::filesystem::directory_iterator(folder_)) {
            records.push_back(read(file.path()));
        }
        return records;
    }

    std::filesystem::path folder_;
};

TEST_F(Flight, IsWrittenOnRequestWithTheLastCalls)
{
    const communicator comm(MPI_COMM_WORLD);
    const std::string path = folder_ / ("mine" + std::to_string(comm.rank()));
    constexpr int calls = 70;

    for (int i = 1; i <= calls; ++i) {
        (void)reduced(comm, i == calls ? "the \"last\" \xc3" : "");
    }
    comm.write_flight_record(path);
    const flight_record record = read(path);

    EXPECT_EQ(record.rank, comm.rank());
    EXPECT_EQ(record.ranks, comm.size());
    EXPECT_EQ(record.pid, getpid());
    ASSERT_EQ(record.calls.size(), 64U);
    EXPECT_EQ(record.calls.rbegin()->first, std::uint64_t{calls});
    const launcher::flight_call& last = record.calls.rbegin()->second;
    const std::string exact = comm.backend() == backend::host ? " exact" : "";
    EXPECT_EQ(last.what, "all_reduce sum float32 -> float32" + exact);
    EXPECT_EQ(last.label, "the \"last\" \xef\xbf\xbd") << "a byte that is no character";
    EXPECT_EQ(last.outcome, "done");
    EXPECT_NE(last.file.find("flight_test.cpp"), std::string::npos);
}

TEST_F(Flight, OfDifferentCallsNamesTheFirst)
{
    const communicator comm(MPI_COMM_WORLD, {.timeout_s = 20.0, .flight_dir = folder_});
    const std::vector<float> one{1.0F};

    (void)reduced(comm, "first");
    (void)reduced(comm, "second");
    EXPECT_TRUE(fails_with(errc::mismatch, {"sum", "max"}, [&] {
        if (comm.rank() == 1) {
            (void)all_reduce<float>(comm, max, std::span(one), {}, {.label = "odd"});
        } else {
            (void)reduced(comm, "third");
        }
    }));
    const std::vector<flight_record> records = all_records();
    const auto found = first_divergence(records);

    EXPECT_EQ(records.size(), static_cast<std::size_t>(comm.size()));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->call, 3U);
    EXPECT_EQ(found->why, launcher::divergence::reason::different_calls);
    const std::string text = show_divergence(records, found);
    for (const char* word : {"odd", "third", "max", "sum", "mismatch", "flight_test.cpp:"}) {
        EXPECT_NE(text.find(word), std::string::npos) << word << " in " << text;
    }
}

TEST_F(Flight, OfARankThatLeftEarlyNamesTheCallItDidNotMake)
{
    const bool leaves = world_rank() == world_size() - 1;
    const communicator comm(MPI_COMM_WORLD, {.warn_s = 0.5, .timeout_s = 1.0, .flight_dir = folder_});

    (void)reduced(comm, "first");
    if (leaves) {
        comm.write_flight_record(folder_ / "left_early");
    } else {
        EXPECT_TRUE(fails_with(errc::timeout, {"not in Rankfold since call 1"},
                               [&] { (void)reduced(comm, "second"); }));
    }
    const auto found = first_divergence(all_records());

    ASSERT_TRUE(found);
    EXPECT_EQ(found->call, 2U);
    EXPECT_EQ(found->why, launcher::divergence::reason::no_such_call);
}

TEST_F(Flight, ThatCannotBeWrittenIsAnError)
{
    const communicator comm(MPI_COMM_WORLD);

    EXPECT_TRUE(fails_with(errc::backend, {"/no/such/folder/record", "No such file"},
                           [&] { comm.write_flight_record("/no/such/folder/record"); }));
}

TEST_F(Flight, NeedsAFolderOnEveryRank)
{
    const bool odd = world_rank() == 1;
    const scoped_environment folder("RANKFOLD_FLIGHT_DIR", odd ? "/no/such/folder" : folder_.string());

    EXPECT_TRUE(fails_with(errc::usage, {"RANKFOLD_FLIGHT_DIR", "/no/such/folder", "rank 1"},
                           [] { const communicator comm(MPI_COMM_WORLD); }));
}

} // namespace
} // namespace rankfold::test
