// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Contract 7: how an exchange travels, and who sits on which node, changes no bit. Nodes are pretended, so
// that the paths between them run on one machine; on the host backend all of them are the same.
#include "rankfold/rankfold.hpp"
#include "support/backend_data.hpp"
#include "support/distributed.hpp"
#include "support/expect.hpp"
#include "support/matrix.hpp"

#include <cstring>

namespace rankfold::test {
namespace {

/// Everything that calls of all kinds gave, as bytes.
using results = std::vector<unsigned char>;

template <class T>
void append(results& all, const std::vector<T>& values)
{
    const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
    all.insert(all.end(), bytes, bytes + values.size() * sizeof(T));
}

struct path {
    transport how;
    const char* node_size; ///< or null
};

class Nodes : public testing::Test {
protected:
    /// Values whose sum depends on the order of additions.
    static std::vector<double> uneven(std::int64_t count, int salt)
    {
        std::vector<double> values;
        for (std::int64_t i = 0; i < count; ++i) {
            const std::uint64_t random = scrambled(static_cast<std::uint64_t>(i * 64 + salt));
            values.push_back(static_cast<double>(random % 1000003) / 997.0);
        }
        return values;
    }

    static results all_kinds(communicator& comm)
    {
        results all;
        const int rank = comm.rank();
        const std::int64_t count = rank == 1 ? 0 : 5000 + 1000 * rank;
        const array<double> data = to_backend(comm, uneven(count, rank));
        array<double> scanned(comm, count);
        array<double> one(comm, 1);
        reduce_plan<double> mass(comm, sum);
        scan_plan<double> offsets(comm, inclusive, sum, {.max_count = count});
        for (int round = 0; round < 3; ++round) { // both halves of the mailboxes, and the first again
            mass.execute(data.data(), count, one.data(), on_stream(comm));
            append(all, to_host(comm, one));
            offsets.execute(data.data(), scanned.data(), count, nullptr, on_stream(comm));
            append(all, to_host(comm, scanned));
        }
        append(all, std::vector<affine_map<std::int64_t>>{exscan<affine_map<std::int64_t>>(
                        comm, affine, element<affine_map<std::int64_t>>(rank))});
        append(all, many_results(comm));
        return all;
    }

    /// More records than a slot takes.
    static std::vector<double> many_results(communicator& comm)
    {
        constexpr int values = 100;
        exscan_plan<double> prefixes(comm, sum, {.values = values});
        const array<double> own = to_backend(comm, uneven(values, comm.rank()));
        array<double> before(comm, values);
        prefixes.execute(own.data(), before.data(), nullptr, on_stream(comm));
        return to_host(comm, before);
    }

    /// On the same ranks by another path, in the order of the world or reversed.
    static results by(const path& way, bool reversed, std::string* reason = nullptr)
    {
        const scoped_environment nodes("RANKFOLD_FAKE_NODE_SIZE", way.node_size ? way.node_size : "",
                                       way.node_size != nullptr);
        MPI_Comm ordered = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, 0, reversed ? -world_rank() : world_rank(), &ordered);
        results all;
        {
            communicator comm(ordered, {.transport = way.how, .timeout_s = 60.0});
            EXPECT_TRUE(way.how == transport::automatic || comm.transport() == way.how) << comm.describe();
            all = all_kinds(comm);
            if (reason != nullptr) {
                *reason = comm.describe();
            }
        }
        MPI_Comm_free(&ordered);
        return all;
    }

    static bool on_gpu() { return communicator(MPI_COMM_WORLD).backend() == backend::cuda; }
};

TEST_F(Nodes, AndTransportsChangeNoBit)
{
    RANKFOLD_NEEDS_RANKS(2);
    std::vector<path> ways{{transport::automatic, "1"},
                           {transport::automatic, "2"},
                           {transport::automatic, "2,cyclic"},
                           {transport::mpi, nullptr}};
    if (on_gpu()) {
        ways.push_back({transport::nccl, nullptr});
        ways.push_back({transport::nccl, "2"});
    }
    for (const bool reversed : {false, true}) {
        const results expected = by({transport::automatic, nullptr}, reversed);
        for (const path& way : ways) {
            EXPECT_TRUE(by(way, reversed) == expected)
                << to_string(way.how) << ", nodes of " << (way.node_size ? way.node_size : "as they are");
        }
    }
}

TEST_F(Nodes, OfTwoGpusUseMailboxesWithin)
{
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(!on_gpu() || world_size() % 2 != 0 || world_size() < 4, "needs 4 GPUs");
    std::string reason;

    (void)by({transport::automatic, "2,cyclic"}, false, &reason);

    EXPECT_NE(reason.find("transport nccl"), std::string::npos) << reason;
    EXPECT_NE(reason.find("mailboxes within each of"), std::string::npos) << reason;
}

TEST_F(Nodes, OfDifferentSizesAreServedByNcclAlone)
{
    RANKFOLD_SKIP_ON_EVERY_RANK_IF(!on_gpu() || world_size() < 3, "needs 3 GPUs");
    std::string reason;

    const auto size = std::to_string(world_size() - 1);
    (void)by({transport::automatic, size.c_str()}, false, &reason);

    EXPECT_NE(reason.find("different numbers of ranks"), std::string::npos) << reason;
}

} // namespace
} // namespace rankfold::test
