// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Before MPI_Init and after MPI_Finalize. The tests run in the order in which they stand here; this program
// has its own main function, since it starts and ends MPI itself. BC-64, BC-67, BC-96.
#include "rankfold/rankfold.hpp"
#include "support/expect.hpp"

#include "rankfold/mpi.hpp"

#include <cstdio>

namespace rankfold::test {
namespace {

int all_reduced(const communicator& comm)
{
    const std::vector<int> one{1};
    return all_reduce<int>(comm, sum, std::span(one));
}

struct outliving {
    std::optional<communicator> destroyed_after_main;
    std::optional<communicator> destroyed_after_finalize;
    std::optional<reduce_plan<float>> plan;
    std::optional<array<float>> memory;
};

outliving& kept()
{
    static outliving objects; // destroyed after main
    return objects;
}

TEST(Lifetime, BeforeMpiInitACommunicatorIsAnError)
{
    EXPECT_TRUE(fails_with(errc::usage, {"MPI_Init"}, [] { const communicator comm(MPI_COMM_WORLD); }));
}

TEST(Lifetime, WorksWithThreadSingleAndNeitherInitialisesNorFinalises)
{
    int provided = -1;
    ASSERT_EQ(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    {
        const communicator comm(MPI_COMM_WORLD);
        EXPECT_EQ(all_reduced(comm), ranks);
    }

    int finalised = 1;
    MPI_Finalized(&finalised);
    EXPECT_EQ(finalised, 0);
}

TEST(Lifetime, AMovedFromCommunicatorIsDestroyedOnce)
{
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    communicator first(MPI_COMM_WORLD);
    communicator second = std::move(first);
    communicator third(MPI_COMM_WORLD);

    third = std::move(second);

    EXPECT_EQ(all_reduced(third), ranks);
}

TEST(Lifetime, PlansAndMemoryKeepWhatTheyNeedAlive)
{
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::optional<communicator> comm(std::in_place, MPI_COMM_WORLD);
    reduce_plan<float> plan(*comm, sum);
    const std::vector<float> three{1.0F, 2.0F, 3.0F};
    array<float> data(*comm, std::span(three));
    array<float> result(*comm, 1);

    comm.reset();
    plan.execute(data.data(), 3, result.data());
    float total = 0;
    result.read({&total, 1});

    EXPECT_EQ(total, 6.0F * static_cast<float>(ranks));
}

TEST(Lifetime, TheErrorHandlerOfTheUsersCommunicatorIsLeftAlone)
{
    MPI_Errhandler before = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
    const communicator comm(MPI_COMM_WORLD);
    MPI_Errhandler after = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &after);

    EXPECT_EQ(before, after);
    EXPECT_EQ(before, MPI_ERRORS_ARE_FATAL);

    MPI_Errhandler_free(&before);
    MPI_Errhandler_free(&after);
}

TEST(Lifetime, AfterMpiFinalizeDestructionIsQuiet)
{
    kept().destroyed_after_finalize.emplace(MPI_COMM_WORLD);
    kept().destroyed_after_main.emplace(MPI_COMM_WORLD);
    kept().plan.emplace(*kept().destroyed_after_main, sum);
    kept().memory.emplace(*kept().destroyed_after_main, 10);
    (void)all_reduced(*kept().destroyed_after_main);
    ASSERT_EQ(MPI_Finalize(), MPI_SUCCESS);

    kept().destroyed_after_finalize.reset();

    EXPECT_TRUE(kept().destroyed_after_main);
}

TEST(Lifetime, AfterMpiFinalizeCallsAndNewCommunicatorsAreErrors)
{
    EXPECT_TRUE(fails_with(errc::usage, {"MPI_Finalize"}, [] { const communicator comm(MPI_COMM_WORLD); }));
    EXPECT_TRUE(
        fails_with(errc::usage, {"MPI_Finalize"}, [] { (void)all_reduced(*kept().destroyed_after_main); }));
}

} // namespace
} // namespace rankfold::test

int main(int argc, char** argv)
{
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
