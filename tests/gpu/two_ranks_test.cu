// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Kernels of two ranks that wait for each other, on one GPU: right results in whatever form each takes, and
// an end to every wait.
#include "green_stream.hpp"
#include "planted_faults.hpp"
#include "two_ranks.hpp"

#include "rankfold/device/exchange.cuh"
#include "rankfold/permitted.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <thread>

namespace rankfold::test {
namespace {

using algebra = builtin_algebra<operator_id::sum, std::int64_t, std::int64_t>;
using phases = device::phases<algebra>;
using scans = phases::rank_scans;

struct numbered {
    std::int64_t first;
    __device__ std::int64_t operator()(std::int64_t i) const { return first + i; }
};

class TwoRanks : public two_ranks_test {
protected:
    void SetUp() override
    {
        two_ranks_test::SetUp();
        if (!IsSkipped()) {
            scans::load(); // a kernel that is loaded at its launch may wait for the one that waits for it
            device::make_ready<device::exchange_kernel>("exchange_kernel");
        }
    }

    static constexpr std::size_t record_size = record_bytes(sizeof(std::int64_t));

    /// What a scan of one rank needs.
    struct piece {
        piece(std::int64_t n, const place& where)
            : count(n), in(n * sizeof(std::int64_t)), out(n * sizeof(std::int64_t)),
              records(ranks * record_size), space(n, where)
        {
        }
        std::int64_t count;
        device_memory in;
        device_memory out;
        device_memory records; ///< of all ranks
        room<algebra> space;
    };

    /// An inclusive scan of ones on both ranks; rank 1's runs in `where`. Returns the elements that are
    /// wrong.
    unsigned long long scan_ones(std::int64_t count, const place& where)
    {
        for (int r = 0; r < ranks; ++r) {
            pieces_[static_cast<std::size_t>(r)].emplace(count, here);
            piece& mine = *pieces_[static_cast<std::size_t>(r)];
            set(mine.in.as<std::int64_t>(), count, constant<std::int64_t>{1});
            clear(mine.out, static_cast<std::size_t>(count) * sizeof(std::int64_t));
            clear(mine.records, ranks * record_size);
        }
        EXPECT_EQ(cudaStreamSynchronize(here.stream), cudaSuccess);
        for (int r = 0; r < ranks; ++r) {
            piece& mine = *pieces_[static_cast<std::size_t>(r)];
            scan_task task = mine.space.scan(mine.in.as<>(), mine.out.as<>(), count);
            task.record = mine.records.as<>(r * static_cast<std::int64_t>(record_size));
            const conclusion then{.mail = view_of(r),
                                  .head = head_,
                                  .received = mine.records.as<>(),
                                  .fold = {.records = mine.records.as<>(),
                                           .stride = record_size,
                                           .record_count = 1,
                                           .rank = r,
                                           .ranks = ranks,
                                           .carry = mine.space.carry()}};
            task.then = &then;
            const place mine_is = r == 0 ? place_of(0) : where;
            scans::first_pass(what_, task, mine_is);
            scans::second_pass(what_, task, mine_is);
        }
        finish();
        EXPECT_EQ(cudaStreamSynchronize(where.stream), cudaSuccess);
        EXPECT_EQ(failure_of(0), errc::success);
        EXPECT_EQ(failure_of(1), errc::success);
        unsigned long long wrong_here = 0;
        for (int r = 0; r < ranks; ++r) {
            wrong_here += wrong(pieces_[static_cast<std::size_t>(r)]->out.as<std::int64_t>(), count,
                                numbered{r * count + 1});
        }
        return wrong_here;
    }
    /// An exchange by itself.
    void exchange(int rank, const device::mailbox_view& view, std::uint32_t call = 1)
    {
        device::launch<device::exchange_kernel>(
            "exchange_kernel", 1,
            {.view = view, .head = head_, .row = {}, .failure = place_of(rank, call).failure},
            place_of(rank, call));
    }
    /// Seconds until a rank's stream has ended.
    double seconds_of(int rank)
    {
        const auto start = std::chrono::steady_clock::now();
        EXPECT_EQ(cudaStreamSynchronize(place_of(rank).stream), cudaSuccess);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    const operation what_ = describe_operation(algebra{}, operator_id::sum);
    const fingerprint head_ = [] {
        fingerprint head{};
        head.kind = call_kind::inclusive_scan;
        return head;
    }();
    std::array<std::optional<piece>, ranks> pieces_;
};

TEST_F(TwoRanks, ScanTogetherInWhateverFormTheOneTakes)
{
    const std::int64_t tile = scans::onchip_kernel::tuning.tile();
    for (const std::int64_t count : {std::int64_t{1}, tile, 40 * tile - 3, 4000 * tile}) {
        SCOPED_TRACE(count);
        EXPECT_EQ(scan_ones(count, place_of(1)), 0U);
        place coexisting = place_of(1);
        coexisting.coexist = true;
        EXPECT_EQ(scan_ones(count, coexisting), 0U);
    }
}

TEST_F(TwoRanks, ScanTogetherWhereCooperativeLaunchesAreRefused)
{
    const std::int64_t tile = scans::onchip_kernel::tuning.tile();
    for (const std::int64_t count : {std::int64_t{1}, tile, 40 * tile - 3}) {
        SCOPED_TRACE(count);
        const planted_faults faults(cudaErrorCooperativeLaunchTooLarge,
                                    planted_faults::step::cooperative_launch);
        EXPECT_EQ(scan_ones(count, place_of(1)), 0U);
        EXPECT_EQ(planted_faults::calls(), ranks);
    }
}

TEST_F(TwoRanks, ScanTogetherWhereOneHasFewMultiprocessors)
{
    const green_stream part(16);
    place green = place_of(1);
    green.stream = part.stream();
    const std::int64_t tile = scans::onchip_kernel::tuning.tile();
    for (const std::int64_t tiles : {1, 10, 60}) {
        SCOPED_TRACE(tiles);
        EXPECT_EQ(scan_ones(tiles * tile, green), 0U);
    }
}

TEST_F(TwoRanks, EndTheirWaitByTheAbortWord)
{
    exchange(0, view_of(0, 20));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(cudaStreamQuery(place_of(0).stream), cudaErrorNotReady);

    abort(0);

    EXPECT_LT(seconds_of(0), 1.0);
    EXPECT_EQ(failure_of(0), errc::failed);
    exchange(1, view_of(1, 20)); // hears of it
    EXPECT_LT(seconds_of(1), 1.0);
    EXPECT_EQ(failure_of(1), errc::failed);
}

TEST_F(TwoRanks, EndTheirWaitByTheDeadline)
{
    exchange(0, view_of(0, 0.5));

    const double seconds = seconds_of(0);

    EXPECT_GT(seconds, 0.3);
    EXPECT_LT(seconds, 2.0);
    EXPECT_EQ(failure_of(0), errc::timeout);
}

TEST_F(TwoRanks, DoNotAwaitOneThatGaveUpTheExchangeBefore)
{
    exchange(0, view_of(0));
    exchange(1, view_of(1));
    finish();
    ASSERT_EQ(failure_of(1), errc::success);
    fingerprint gave_up = head_; // what rank 0 sends where it gives up after rank 1 had all that it needs
    gave_up.error = static_cast<std::uint8_t>(errc::failed);
    std::uint32_t words[device::head_words];
    std::memcpy(words, &gave_up, sizeof words);
    const std::uint64_t word = std::uint64_t{1} << 32 | words[device::error_word];
    ASSERT_EQ(cudaMemcpy(word_of(1, 1, 0, device::error_word), &word, sizeof word, cudaMemcpyDefault),
              cudaSuccess);

    exchange(1, view_of(1, 20), 2);

    EXPECT_LT(seconds_of(1), 1.0);
    EXPECT_EQ(failure_of(1), errc::failed);
}

} // namespace
} // namespace rankfold::test
