// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random calls on random pieces, each checked against the reference. The seed is printed; RANKFOLD_TEST_SEED
// repeats a run and RANKFOLD_TEST_CALLS makes it longer. BC-47, BC-100, BC-101.
#include "rankfold/rankfold.hpp"
#include "support/backend_data.hpp"
#include "support/dice.hpp"
#include "support/expect.hpp"
#include "support/matrix.hpp"

namespace rankfold::test {
namespace {

class any_calls {
public:
    virtual ~any_calls() = default;
    virtual void one(dice& random) = 0;
};

/// Calls of every kind with one operator and its types.
template <class Case>
class calls : public any_calls {
    using in = typename Case::input;
    using out = typename Case::output;

public:
    explicit calls(communicator& comm) : comm_(comm) {}

    void one(dice& random) override
    {
        const layout where = random.pieces();
        const std::int64_t first = random.below(1000);
        const std::optional<out> init = random.one_in(3) ? std::optional(Case::init()) : std::nullopt;
        std::vector<in> global;
        for (std::int64_t i = 0; i < where.total; ++i) {
            global.push_back(element<in>(first + i));
        }
        const auto expected = reference_of<out>(global, Case::reference, init);
        const std::vector<in> mine = piece_of(global, where);
        switch (random.below(7)) {
        case 0:
            reduces(mine, where, expected, init);
            break;
        case 1:
            reduces_to(static_cast<int>(random.below(world_size())), mine, where, expected, init);
            break;
        case 2:
            scans(inclusive, mine, where, expected, init);
            break;
        case 3:
            scans(exclusive, mine, where, expected, init);
            break;
        case 4:
            exscans(first, init);
            break;
        case 5:
            reduces_by_plan(mine, where, reference_of<out>(global, Case::reference));
            break;
        case 6:
            scans_by_plan(mine, where, reference_of<out>(global, Case::reference));
            break;
        }
    }

private:
    void reduces(const std::vector<in>& mine, const layout& where, const prefix_folds<out>& expected,
                 const std::optional<out>& init)
    {
        const out total =
            all_reduce<out>(comm_, Case::op, std::span(mine), reduce_options<out>{.init = init});
        EXPECT_TRUE(same_bits(total, expected.total(where.total))) << "all_reduce: " << as_text(total);
    }
    void reduces_to(int root, const std::vector<in>& mine, const layout& where,
                    const prefix_folds<out>& expected, const std::optional<out>& init)
    {
        const auto total =
            reduce<out>(comm_, Case::op, std::span(mine), root, reduce_options<out>{.init = init});
        EXPECT_EQ(total.has_value(), comm_.rank() == root);
        EXPECT_TRUE(!total || same_bits(*total, expected.total(where.total)))
            << "reduce: " << as_text(*total);
    }
    void scans(scan_kind kind, const std::vector<in>& mine, const layout& where,
               const prefix_folds<out>& expected, const std::optional<out>& init)
    {
        std::vector<out> result(mine.size());
        if (kind == inclusive) {
            inclusive_scan(comm_, Case::op, std::span(mine), std::span(result),
                           scan_options<out>{.init = init});
            EXPECT_TRUE(same_elements(result, piece_of(expected.inclusive, where))) << "inclusive_scan";
        } else {
            exclusive_scan(comm_, Case::op, std::span(mine), std::span(result),
                           scan_options<out>{.init = init});
            EXPECT_TRUE(same_elements(result, piece_of(expected.exclusive, where))) << "exclusive_scan";
        }
    }
    void exscans(std::int64_t first, const std::optional<out>& init)
    {
        std::vector<in> values;
        for (int r = 0; r < world_size(); ++r) {
            values.push_back(element<in>(first + r));
        }
        const auto expected = reference_of<out>(values, Case::reference, init);
        const auto rank = static_cast<std::size_t>(world_rank());
        const out prefix = exscan<out>(comm_, Case::op, values[rank], exscan_options<out>{.init = init});
        EXPECT_TRUE(same_bits(prefix, expected.exclusive[rank])) << "exscan: " << as_text(prefix);
    }
    void reduces_by_plan(const std::vector<in>& mine, const layout& where, const prefix_folds<out>& expected)
    {
        const array<in> data = to_backend(comm_, mine);
        array<out> total(comm_, 1);
        reduction_.execute(data.data(), where.count, total.data(), on_stream(comm_));
        const out value = first_of(comm_, total);
        EXPECT_TRUE(same_bits(value, expected.total(where.total))) << "reduce_plan: " << as_text(value);
    }
    /// BC-47: a scan and at once, without a wait, a reduction of what it wrote.
    void scans_by_plan(const std::vector<in>& mine, const layout& where, const prefix_folds<out>& expected)
    {
        const array<in> data = to_backend(comm_, mine);
        array<out> result(comm_, where.count);
        array<out> last(comm_, 1);
        scan_.execute(data.data(), result.data(), where.count, on_stream(comm_));
        of_results_.execute(result.data(), where.count, last.data(), on_stream(comm_));
        EXPECT_TRUE(same_elements(to_host(comm_, result), piece_of(expected.inclusive, where)))
            << "scan_plan";
        const std::vector<out> scanned(expected.inclusive.begin(), expected.inclusive.begin() + where.total);
        const auto of_scan = reference_of<out>(scanned, Case::reference);
        EXPECT_TRUE(same_bits(first_of(comm_, last), of_scan.total(where.total))) << "reduction of a scan";
    }

    communicator& comm_;
    reduce_plan<in, out> reduction_{comm_, Case::op};
    scan_plan<in, out> scan_{comm_, inclusive, Case::op, {.max_count = 20000}};
    reduce_plan<out> of_results_{comm_, Case::op};
};

TEST(Soak, RandomCallsMatchTheReference)
{
    communicator comm(MPI_COMM_WORLD);
    const std::uint64_t seed = announced_seed();
    const std::uint64_t rounds = number_from("RANKFOLD_TEST_CALLS", 800);
    SCOPED_TRACE(testing::Message() << "RANKFOLD_TEST_SEED=" << seed);
    dice random(seed);
    calls<sum_of_int64> int64_sums(comm);
    calls<sum_of_int32_in_int64> int32_sums(comm);
    calls<sum_of_float_in_double> float_sums(comm);
    calls<max_of_float> float_maxima(comm);
    calls<composition_of_maps> compositions(comm);
    const std::array<any_calls*, 5> kinds{&int64_sums, &int32_sums, &float_sums, &float_maxima,
                                          &compositions};

    for (std::uint64_t round = 0; round < rounds; ++round) {
        if (round % 100 == 0 && on_any_rank(HasFailure())) {
            break;
        }
        SCOPED_TRACE(testing::Message() << "call " << round);
        kinds[static_cast<std::size_t>(random.below(kinds.size()))]->one(random);
    }
}

// BC-101
TEST(Soak, ManySmallReductionsInARow)
{
    communicator comm(MPI_COMM_WORLD);
    constexpr std::size_t columns = 16;
    reduce_plan<std::int64_t> plan(comm, sum, {.results = columns});
    array<std::int64_t> results(comm, columns);
    const int ranks = world_size();

    for (std::int64_t round = 0; round < 1000; ++round) {
        const std::int64_t count = 1 + round % 257;
        const std::vector<std::int64_t> mine(static_cast<std::size_t>(count), round + world_rank());
        const array<std::int64_t> data = to_backend(comm, mine);
        const std::vector<std::span<const std::int64_t>> inputs(columns, data.span());
        plan.execute(inputs, results.data(), on_stream(comm));

        const std::int64_t total = count * (ranks * round + ranks * (ranks - 1) / 2);
        ASSERT_TRUE(same_elements(to_host(comm, results), std::vector<std::int64_t>(columns, total)))
            << round;
    }
}

// BC-100: every element of larger pieces, many times over.
TEST(Soak, LargerPiecesAreScannedWholeInEveryRound)
{
    communicator comm(MPI_COMM_WORLD);
    for (const std::int64_t count : {32768, 200000}) {
        array<double> data(comm, count);
        scan_plan<double> plan(comm, inclusive, sum, {.max_count = count});
        for (int round = 0; round < 15; ++round) {
            data.assign(std::vector<double>(static_cast<std::size_t>(count), round + 1.0));
            plan.execute(data.data(), data.data(), count, on_stream(comm));

            const std::vector<double> scanned = to_host(comm, data);
            for (std::int64_t i = 0; i < count; ++i) {
                const auto expected = static_cast<double>((world_rank() * count + i + 1) * (round + 1));
                ASSERT_EQ(scanned[static_cast<std::size_t>(i)], expected)
                    << "element " << i << ", round " << round;
            }
        }
    }
}

} // namespace
} // namespace rankfold::test
