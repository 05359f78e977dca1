// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lift and fold, and how kernels behave once a communicator has failed.
#include "passes_trial.hpp"
#include "reduce_trial.hpp"

#include "rankfold/device/lift.cuh"

#include <gtest/gtest.h>

namespace rankfold::simt {

template <>
inline std::int32_t suites::element(std::int64_t i)
{
    return static_cast<std::int32_t>(i);
}

namespace {

using namespace executor;
using namespace suites;

using lift = device::lift_kernel<interval_algebra, 2 * warp_size>;
using fold = device::fold_kernel<interval_algebra, 2 * warp_size>;
constexpr std::size_t record_size = record_bytes(sizeof(interval));
constexpr int records = 7;

/// Every rank lifts seven values; one rank folds all of them.
class lift_and_fold {
public:
    lift_and_fold(const schedule& how, int ranks) : machine_(how), slots_(static_cast<std::size_t>(ranks)) {}

    slot& of(int rank) { return slots_[static_cast<std::size_t>(rank)]; }

    std::string run(int rank)
    {
        const int ranks = static_cast<int>(slots_.size());
        std::vector<std::vector<std::int32_t>> values;
        bool fits = true;
        for (int r = 0; r < ranks; ++r) {
            values.emplace_back();
            for (int i = 0; i < records; ++i) {
                values.back().push_back(100 * i + r);
            }
            fits &= machine_.launch<lift>({.blocks = 1, .threads = lift::threads},
                                          {.algebra = {},
                                           .values = values.back().data(),
                                           .count = records,
                                           .records = of(r).payload,
                                           .end = {.failure = {.word = &failure}}});
        }
        fits &= machine_.launch<fold>({.blocks = 1, .threads = fold::threads},
                                      {.algebra = {},
                                       .task = {.slots = slots_.data(),
                                                .records = slots_[0].payload,
                                                .stride = sizeof(slot),
                                                .record_count = records,
                                                .rank = rank,
                                                .ranks = ranks,
                                                .init = {},
                                                .total = totals,
                                                .prefix = prefixes,
                                                .carry = nullptr},
                                       .failure = {.word = &failure, .mirror = &mirror, .call = 42}});
        const outcome ran = machine_.run();
        return !fits ? "refused\n" : ran.ok() ? "" : ran.text;
    }

    interval totals[records] = {};
    interval prefixes[records] = {};
    failure_word failure{};
    failure_word mirror{};

private:
    machine machine_;
    std::vector<slot> slots_;
};

TEST(Fold, FoldsEveryRecordOverTheRanks)
{
    expect_right(400 / fewer, [](const schedule& how) -> std::string {
        const int ranks = 1 + static_cast<int>(how.seed % 9);
        const int rank = static_cast<int>(how.seed / 9 % static_cast<unsigned>(ranks));
        lift_and_fold call(how, ranks);
        std::string wrong = call.run(rank);
        for (int i = 0; wrong.empty() && i < records; ++i) {
            const interval before = rank == 0 ? nothing : interval{100 * i, 100 * i + rank};
            if (call.totals[i] != interval{100 * i, 100 * i + ranks} || call.prefixes[i] != before) {
                wrong = "record " + std::to_string(i) + " is wrong\n";
            }
        }
        return wrong;
    });
}

TEST(Fold, NamesTheWorstSlotAndWritesNothing)
{
    expect_right(400 / fewer, [](const schedule& how) -> std::string {
        const int ranks = 2 + static_cast<int>(how.seed % 8);
        lift_and_fold call(how, ranks);
        call.of(ranks - 1).head.digest = 9;
        const bool error_too = how.seed % 3 == 0;
        call.of(ranks / 2).head.error = static_cast<std::uint8_t>(error_too ? errc::usage : errc::success);
        const std::string wrong = call.run(0);
        const auto code = static_cast<std::uint32_t>(error_too ? errc::usage : errc::mismatch);
        if (!wrong.empty()) {
            return wrong;
        }
        const bool told = call.failure.code == code && call.failure.call == 42 && call.mirror.code == code &&
                          call.mirror.call == 42;
        return told && call.totals[0] == interval{} && call.prefixes[records - 1] == interval{}
                   ? ""
                   : "not told\n";
    });
}

TEST(FailedCommunicator, EndsReductionsAtOnce)
{
    expect_right(200 / fewer, [](const schedule& how) -> std::string {
        using kernel = device::reduce_kernel<interval_algebra, device::contiguous<std::int32_t>, tiny_reduce>;
        const std::vector<std::int32_t> x(500);
        workspace<interval> space;
        space.failure.code = 1;
        std::byte record[record_size] = {};
        machine m(how);
        const bool fits = m.launch<kernel>({.blocks = 3, .threads = kernel::threads},
                                           {.algebra = {},
                                            .source = device::contiguous<std::int32_t>(x.data()),
                                            .count = 500,
                                            .chunks = device::cut_into_chunks(500, tiny_reduce),
                                            .record = record,
                                            .control = space.control(),
                                            .partials = space.partials(),
                                            .end = {.failure = {.word = &space.failure}}});
        const outcome ran = m.run();
        return fits && ran.ok() && read_record<interval>(record).has_value() == false
                   ? ""
                   : "it went on\n" + ran.text;
    });
}

TEST(OverlappingCalls, AreBusyWhereOneSeesTheDrawsOfAnother)
{
    expect_right(200 / fewer, [](const schedule& how) -> std::string {
        using kernel = device::reduce_kernel<interval_algebra, device::contiguous<std::int32_t>, tiny_reduce>;
        const std::vector<std::int32_t> x(500);
        workspace<interval> space;
        space.control()->entry = 1; // drawn by another
        alignas(8) std::byte record[record_size] = {};
        const device::chunking chunks = device::cut_into_chunks(500, tiny_reduce);
        machine m(how);
        const bool fits = m.launch<kernel>({.blocks = chunks.count, .threads = kernel::threads},
                                           {.algebra = {},
                                            .source = device::contiguous<std::int32_t>(x.data()),
                                            .count = 500,
                                            .chunks = chunks,
                                            .record = record,
                                            .control = space.control(),
                                            .partials = space.partials(),
                                            .end = {.failure = {.word = &space.failure}}});
        const outcome ran = m.run();
        const bool busy = space.failure.code == static_cast<std::uint32_t>(errc::busy);
        // With few blocks resident, the one that takes itself for the last waits for ever for the last.
        return fits && (ran.ok() ? busy : ran.kind == fault::hang) ? "" : "not busy\n" + ran.text;
    });
}

/// Draws the first tile and never publishes it.
struct lost_tile_kernel {
    struct arguments {
        device::control* control;
    };
    struct storage {};
    static constexpr int threads = warp_size;
    static void run(block& self, const arguments& args, storage& /*shared*/)
    {
        if (self.lane() == 0) {
            device::draw_entry(args.control);
        }
    }
};

TEST(FailedCommunicator, IsNeededToEndALookbackThatWaitsForALostTile)
{
    expect_right(300 / fewer, [](const schedule& how) -> std::string {
        using kernel =
            device::lookback_scan_kernel<interval_algebra, device::contiguous<std::int32_t>, tiny_scan>;
        const std::vector<std::int32_t> x(400);
        std::vector<interval> y(400);
        workspace<interval> space;
        machine m(how);
        bool fits = m.launch<lost_tile_kernel>({.blocks = 1, .threads = warp_size}, {space.control()});
        fits &= m.launch<kernel>({.blocks = 3, .threads = kernel::threads},
                                 {.algebra = {},
                                  .source = device::contiguous<std::int32_t>(x.data()),
                                  .sink = device::contiguous_sink<interval>(y.data()),
                                  .count = 400,
                                  .tiles = (400 + tile - 1) / tile,
                                  .inclusive = true,
                                  .init = {},
                                  .total = nullptr,
                                  .control = space.control(),
                                  .states = space.table(),
                                  .failure = {.word = &space.failure}});
        const outcome waits = m.run();
        if (!fits || waits.kind != fault::hang) {
            return "a lost tile was not waited for\n" + waits.text;
        }
        return "";
    });
}

TEST(FailedCommunicator, EndsALookbackWhenTheFailureComes)
{
    expect_right(300 / fewer, [](const schedule& how) -> std::string {
        using kernel =
            device::lookback_scan_kernel<interval_algebra, device::contiguous<std::int32_t>, tiny_scan>;
        const std::vector<std::int32_t> x(400);
        std::vector<interval> y(400);
        workspace<interval> space;
        space.control()->entry = 1; // the first tile is lost
        machine m(how, 1, 2);
        bool fits = m.launch<kernel>({.blocks = 3, .threads = kernel::threads},
                                     {.algebra = {},
                                      .source = device::contiguous<std::int32_t>(x.data()),
                                      .sink = device::contiguous_sink<interval>(y.data()),
                                      .count = 400,
                                      .tiles = (400 + tile - 1) / tile,
                                      .inclusive = true,
                                      .init = {},
                                      .total = nullptr,
                                      .control = space.control(),
                                      .states = space.table(),
                                      .failure = {.word = &space.failure}});
        fits &= m.launch<fail_kernel>({.blocks = 1, .threads = warp_size, .stream = 1},
                                      {&space.failure, errc::failed});
        const outcome ran = m.run();
        return fits && ran.ok() ? "" : ran.text;
    });
}

} // namespace
} // namespace rankfold::simt
