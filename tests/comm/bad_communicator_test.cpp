// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A communicator that cannot be made is an error on every rank, which names the value and the rank that has
// it.
#include "rankfold/rankfold.hpp"
#include "support/distributed.hpp"
#include "support/expect.hpp"

namespace rankfold::test {
namespace {

class BadCommunicator : public testing::Test {
protected:
    static testing::AssertionResult refused(std::initializer_list<std::string> words,
                                            const communicator_options& options = {})
    {
        return fails_with(errc::usage, words, [&] { const communicator comm(MPI_COMM_WORLD, options); });
    }
    /// The next one can be made.
    ~BadCommunicator() override
    {
        const communicator comm(MPI_COMM_WORLD);
        const std::vector<int> one{1};
        EXPECT_EQ(all_reduce<int>(comm, sum, std::span(one)), world_size());
    }

    int culprit_ = world_size() - 1;
    bool here_ = world_rank() == culprit_;
    std::string name_ = "rank " + std::to_string(culprit_);
};

struct bad_value {
    const char* variable;
    const char* value;
};

class BadEnvironment : public BadCommunicator, public testing::WithParamInterface<bad_value> {};

TEST_P(BadEnvironment, OnOneRankIsAnErrorOnEvery)
{
    const scoped_environment bad(GetParam().variable, GetParam().value, here_);

    EXPECT_TRUE(refused({GetParam().variable, std::string("'") + GetParam().value + "'", name_}));
}

INSTANTIATE_TEST_SUITE_P(
    Values, BadEnvironment,
    testing::Values(bad_value{"RANKFOLD_BACKEND", "gpu"}, bad_value{"RANKFOLD_BACKEND", ""},
                    bad_value{"RANKFOLD_BACKEND", "Host"}, bad_value{"RANKFOLD_BACKEND", "host "},
                    bad_value{"RANKFOLD_TRANSPORT", "tcp"}, bad_value{"RANKFOLD_TRANSPORT", "MPI"},
                    bad_value{"RANKFOLD_COEXIST", "yes"}, bad_value{"RANKFOLD_OVERLAP", "2"},
                    bad_value{"RANKFOLD_WARN_S", "soon"}, bad_value{"RANKFOLD_WARN_S", "10s"},
                    bad_value{"RANKFOLD_WARN_S", "-1"}, bad_value{"RANKFOLD_WARN_S", ""},
                    bad_value{"RANKFOLD_TIMEOUT_S", "1e999"}, bad_value{"RANKFOLD_TIMEOUT_S", "nan"},
                    bad_value{"RANKFOLD_TIMEOUT_S", "0"}, bad_value{"RANKFOLD_TIMEOUT_S", "0x10"},
                    bad_value{"RANKFOLD_TIMEOUT_S", " 5"}, bad_value{"RANKFOLD_DEVICE", ""},
                    bad_value{"RANKFOLD_DEVICE", "garbage"}, bad_value{"RANKFOLD_FLIGHT_DIR", "/tmp "},
                    bad_value{"RANKFOLD_DEBUG_FILE", ""}, bad_value{"RANKFOLD_DEBUG", "verbose"},
                    bad_value{"OMP_NUM_THREADS", "many"}, bad_value{"OMP_NUM_THREADS", "0"}));

TEST_F(BadCommunicator, WithANegativeDeadlineOnOneRank)
{
    EXPECT_TRUE(refused({"timeout_s", "-3", name_}, {.timeout_s = here_ ? -3.0 : 30.0}));
}

TEST_F(BadCommunicator, WithDifferentBackends)
{
    RANKFOLD_NEEDS_RANKS(2);
    EXPECT_TRUE(refused({"backend", "host", "automatic", name_},
                        {.backend = here_ ? backend::automatic : backend::host}));
}

TEST_F(BadCommunicator, WithDifferentTransports)
{
    RANKFOLD_NEEDS_RANKS(2);
    EXPECT_TRUE(refused({"transport", "mpi", "automatic", name_},
                        {.transport = here_ ? transport::automatic : transport::mpi}));
}

TEST_F(BadCommunicator, WithDifferentCoexistence)
{
    RANKFOLD_NEEDS_RANKS(2);
    EXPECT_TRUE(refused({"RANKFOLD_COEXIST", name_ + ": 1"}, {.coexist = here_}));
}

TEST_F(BadCommunicator, WithADeadlineOnOneRankThatDiffersByLittle)
{
    RANKFOLD_NEEDS_RANKS(2);
    EXPECT_TRUE(refused({"timeout_s", "30.0000001 s", name_}, {.timeout_s = here_ ? 30.0000001 : 30.0}));
}

TEST_F(BadCommunicator, WithATransportThatTheHostBackendLacks)
{
    for (const transport impossible : {transport::peer, transport::nccl}) {
        const auto failure = error_of([&] {
            const communicator comm(MPI_COMM_WORLD, {.backend = backend::host, .transport = impossible});
        });
        ASSERT_TRUE(failure);
        EXPECT_TRUE(failure->code() == errc::usage || failure->code() == errc::unsupported);
        EXPECT_NE(std::string(failure->what()).find(to_string(impossible)), std::string::npos)
            << failure->what();
    }
}

TEST_F(BadCommunicator, WithTransportSelfForSeveralRanks)
{
    RANKFOLD_NEEDS_RANKS(2);
    EXPECT_TRUE(refused({"self"}, {.transport = transport::self}));
}

TEST_F(BadCommunicator, FromTheNullCommunicator)
{
    EXPECT_TRUE(fails_with(errc::usage, {"MPI_COMM_NULL"}, [] { const communicator comm(MPI_COMM_NULL); }));
}

// BC-96 (d)
TEST_F(BadCommunicator, FromAnInterCommunicator)
{
    RANKFOLD_NEEDS_RANKS(2);
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm between = MPI_COMM_NULL;
    const int side = world_rank() % 2;
    MPI_Comm_split(MPI_COMM_WORLD, side, world_rank(), &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 5, &between);

    EXPECT_TRUE(fails_with(errc::usage, {"inter"}, [&] { const communicator comm(between); }));

    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

} // namespace
} // namespace rankfold::test
