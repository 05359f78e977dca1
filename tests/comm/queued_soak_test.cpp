// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random calls of plans, queued one behind the other in batches whose results are compared with the reference
// when the batch is done: kinds, types, sizes, empties, more records than a slot takes. The seed is printed;
// RANKFOLD_TEST_SEED repeats a run and RANKFOLD_TEST_CALLS says how many calls it has.
#include "rankfold/rankfold.hpp"
#include "support/backend_data.hpp"
#include "support/dice.hpp"
#include "support/expect.hpp"
#include "support/matrix.hpp"

#include <memory>

namespace rankfold::test {
namespace {

class queued_calls {
public:
    virtual ~queued_calls() = default;
    /// False where a batch has no room for another call.
    [[nodiscard]] virtual bool has_room() const = 0;
    virtual void queue(dice& random) = 0;
    /// Waits for the batch, and begins another.
    [[nodiscard]] virtual testing::AssertionResult check() = 0;
};

/// Calls of every kind with one operator and its types, on pieces of an array that lies ready on every rank.
template <class Case>
class calls_of : public queued_calls {
    using in = typename Case::input;
    using out = typename Case::output;

    static constexpr int wide = 100; ///< values: more than a slot takes
    static constexpr std::int64_t starts = 1000;
    static constexpr std::int64_t room = 4 * dice::largest_piece;

    struct plans {
        plans(communicator& comm, const std::optional<out>& start)
            : init(start), total(comm, Case::op, {.init = init}),
              total_on_last(comm, Case::op, {.init = init, .root = comm.size() - 1}),
              totals(comm, Case::op, {.results = 3, .init = init}),
              inclusive_scan(comm, inclusive, Case::op, {.max_count = dice::largest_piece, .init = init}),
              exclusive_scan(comm, exclusive, Case::op, {.max_count = dice::largest_piece, .init = init}),
              offset(comm, Case::op, {.init = init}), offsets(comm, Case::op, {.values = wide, .init = init})
        {
        }
        std::optional<out> init;
        reduce_plan<in, out> total;
        reduce_plan<in, out> total_on_last;
        reduce_plan<in, out> totals;
        scan_plan<in, out> inclusive_scan;
        scan_plan<in, out> exclusive_scan;
        exscan_plan<in, out> offset;
        exscan_plan<in, out> offsets;
    };

public:
    explicit calls_of(communicator& comm)
        : comm_(comm), values_(global_array<in>(starts + 3 * dice::largest_piece * world_size())),
          data_(to_backend(comm, values_)), results_(comm, room)
    {
    }

    [[nodiscard]] bool has_room() const override { return used_ + dice::largest_piece + 2 * wide <= room; }

    void queue(dice& random) override
    {
        const std::int64_t first = random.below(starts);
        plans& with = random.one_in(3) ? with_init_ : plain_;
        switch (random.below(7)) {
        case 0:
            return reduces(with.total, first, random.pieces(), with.init, true);
        case 1:
            return reduces(with.total_on_last, first, random.pieces(), with.init,
                           comm_.rank() == comm_.size() - 1);
        case 2:
            return reduces_three(with.totals, random, first, with.init);
        case 3:
            return scans(with.inclusive_scan, inclusive, first, random.pieces(), with.init);
        case 4:
            return scans(with.exclusive_scan, exclusive, first, random.pieces(), with.init);
        case 5:
            return exscans(with.offset, 1, first, with.init);
        case 6:
            return exscans(with.offsets, wide, first, with.init);
        }
    }

    [[nodiscard]] testing::AssertionResult check() override
    {
        finish(comm_);
        std::vector<out> found(static_cast<std::size_t>(room), Case::init());
        results_.read(found);
        testing::AssertionResult result = testing::AssertionSuccess();
        for (const expectation& e : expected_) {
            const auto begin = found.begin() + e.at;
            const std::vector<out> there(begin, begin + static_cast<std::ptrdiff_t>(e.values.size()));
            if (result) {
                result = same_elements(there, e.values) << " (" << e.what << ")";
            }
        }
        used_ = 0;
        expected_.clear();
        return result;
    }

private:
    struct expectation {
        std::int64_t at;
        std::vector<out> values;
        std::string what;
    };

    /// Where a call writes, that must leave `values` there.
    out* expect(const std::string& what, std::vector<out> values)
    {
        const std::int64_t at = used_;
        used_ += static_cast<std::int64_t>(values.size());
        expected_.push_back({at, std::move(values), what});
        return results_.data() + at;
    }

    [[nodiscard]] std::vector<in> global(std::int64_t first, std::int64_t count) const
    {
        return {values_.begin() + first, values_.begin() + first + count};
    }

    void reduces(reduce_plan<in, out>& plan, std::int64_t first, const layout& where,
                 const std::optional<out>& init, bool here)
    {
        const auto right = reference_of<out>(global(first, where.total), Case::reference, init);
        out* const to =
            here ? expect("reduce of " + std::to_string(where.total), {right.total(where.total)}) : nullptr;
        plan.execute(data_.data() + first + where.offset, where.count, to, on_stream(comm_));
    }

    void reduces_three(reduce_plan<in, out>& plan, dice& random, std::int64_t first,
                       const std::optional<out>& init)
    {
        std::vector<std::span<const in>> pieces;
        std::vector<out> totals;
        for (int i = 0; i < 3; ++i) {
            const layout where = random.pieces();
            const auto right = reference_of<out>(global(first, where.total), Case::reference, init);
            totals.push_back(right.total(where.total));
            pieces.emplace_back(data_.data() + first + where.offset, static_cast<std::size_t>(where.count));
            first += where.total;
        }
        plan.execute(pieces, expect("three reductions", totals), on_stream(comm_));
    }

    void scans(scan_plan<in, out>& plan, scan_kind kind, std::int64_t first, const layout& where,
               const std::optional<out>& init)
    {
        const auto right = reference_of<out>(global(first, where.total), Case::reference, init);
        const auto& prefixes = kind == inclusive ? right.inclusive : right.exclusive;
        out* const to = expect("scan of " + std::to_string(where.total), piece_of(prefixes, where));
        out* const total = expect("total of a scan", {right.total(where.total)});
        plan.execute(data_.data() + first + where.offset, to, where.count, total, on_stream(comm_));
    }

    /// Rank r has `count` values from first + r * count on.
    void exscans(exscan_plan<in, out>& plan, int count, std::int64_t first, const std::optional<out>& init)
    {
        std::vector<out> prefixes;
        std::vector<out> totals;
        for (int i = 0; i < count; ++i) {
            std::vector<in> column;
            for (int r = 0; r < comm_.size(); ++r) {
                column.push_back(values_[static_cast<std::size_t>(first + r * count + i)]);
            }
            const auto right = reference_of<out>(column, Case::reference, init);
            prefixes.push_back(right.exclusive[static_cast<std::size_t>(comm_.rank())]);
            totals.push_back(right.total(comm_.size()));
        }
        out* const before = expect("exscan of " + std::to_string(count), prefixes);
        out* const all = expect("totals of an exscan", totals);
        plan.execute(data_.data() + first + std::int64_t{comm_.rank()} * count, before, all,
                     on_stream(comm_));
    }

    communicator& comm_;
    std::vector<in> values_;
    array<in> data_;
    array<out> results_;
    plans plain_{comm_, std::nullopt};
    plans with_init_{comm_, Case::init()};
    std::int64_t used_ = 0;
    std::vector<expectation> expected_;
};

TEST(QueuedSoak, RandomCallsMatchTheReference)
{
    communicator comm(MPI_COMM_WORLD);
    const std::uint64_t seed = announced_seed();
    const std::uint64_t rounds = number_from("RANKFOLD_TEST_CALLS", 2000);
    SCOPED_TRACE(testing::Message() << "RANKFOLD_TEST_SEED=" << seed);
    dice random(seed);
    std::vector<std::unique_ptr<queued_calls>> kinds;
    kinds.push_back(std::make_unique<calls_of<sum_of_int64>>(comm));
    kinds.push_back(std::make_unique<calls_of<sum_of_int32_in_int64>>(comm));
    kinds.push_back(std::make_unique<calls_of<sum_of_float_in_double>>(comm));
    kinds.push_back(std::make_unique<calls_of<max_of_float>>(comm));
    kinds.push_back(std::make_unique<calls_of<composition_of_maps>>(comm));

    for (std::uint64_t round = 0; round < rounds; ++round) {
        if (round % 1000 == 0 && on_any_rank(HasFailure())) {
            break;
        }
        queued_calls& calls = *kinds[static_cast<std::size_t>(random.below(kinds.size()))];
        if (!calls.has_room()) {
            EXPECT_TRUE(calls.check()) << "before call " << round;
        }
        calls.queue(random);
    }
    for (const auto& calls : kinds) {
        EXPECT_TRUE(calls->check());
    }
}

} // namespace
} // namespace rankfold::test
