// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What stands around exchanges that a library does: marks, the busy word, rows to their places.
#include "schedules.hpp"

#include "rankfold/device/exchange_mark.cuh"
#include "rankfold/device/place_rows.cuh"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace rankfold::simt {
namespace {

using namespace executor;
using device::exchange_mark_kernel;
using device::place_rows_kernel;

/// The words that the marks of one communicator share.
struct marked {
    std::uint32_t sequence = 0;
    exchange_mark mirror{};
    slot own{};
    failure_word failure{};
    failure_word failure_mirror{};

    static fingerprint head_of(std::uint32_t call)
    {
        fingerprint head{};
        head.kind = call_kind::exscan;
        head.label = 100 + call;
        return head;
    }

    exchange_mark_kernel::arguments mark(bool opens, std::uint32_t call)
    {
        return {.opens = opens,
                .sequence = &sequence,
                .mirror = &mirror,
                .own = opens ? &own : nullptr,
                .head = opens ? head_of(call) : fingerprint{},
                .failure = {.word = &failure, .mirror = &failure_mirror, .call = call}};
    }
};

constexpr shape one_warp{.blocks = 1, .threads = exchange_mark_kernel::threads};

TEST(ExchangeMark, CountsEveryExchangeAndTellsTheHost)
{
    expect_right(40 / fewer, [](const schedule& how) -> std::string {
        marked words;
        machine m(how);
        bool fits = true;
        for (std::uint32_t call = 1; call <= 5; ++call) {
            fits &= m.launch<exchange_mark_kernel>(one_warp, words.mark(true, call));
            fits &= call == 5 || m.launch<exchange_mark_kernel>(one_warp, words.mark(false, call));
        }
        const outcome ran = m.run();
        const bool right = words.sequence == 9 && words.mirror.sequence == 9 && words.mirror.call == 5 &&
                           words.failure.code == 0 && words.own.head.error == 0 &&
                           words.own.head.kind == call_kind::exscan && words.own.head.label == 105;
        return fits && ran.ok() && right ? "" : "wrong marks\n" + ran.text;
    });
}

TEST(ExchangeMark, OfACallInsideAnotherIsAnErrorThatIsSent)
{
    expect_right(40 / fewer, [](const schedule& how) -> std::string {
        marked words;
        machine m(how);
        const bool fits = m.launch<exchange_mark_kernel>(one_warp, words.mark(true, 1)) &&
                          m.launch<exchange_mark_kernel>(one_warp, words.mark(true, 2)) &&
                          m.launch<exchange_mark_kernel>(one_warp, words.mark(false, 1)) &&
                          m.launch<exchange_mark_kernel>(one_warp, words.mark(false, 2));
        const outcome ran = m.run();
        constexpr auto busy = static_cast<std::uint32_t>(errc::busy);
        const bool right = words.failure.code == busy && words.failure.call == 2 &&
                           words.failure_mirror.code == busy && words.failure_mirror.call == 2 &&
                           words.own.head.error == busy && words.mirror.sequence % 2 == 0;
        return fits && ran.ok() && right ? "" : "not told\n" + ran.text;
    });
}

TEST(ExchangeMark, AfterAFailureSendsAnError)
{
    expect_right(40 / fewer, [](const schedule& how) -> std::string {
        marked words;
        words.failure = {static_cast<std::uint32_t>(errc::timeout), 7};
        machine m(how);
        const bool fits = m.launch<exchange_mark_kernel>(one_warp, words.mark(true, 8));
        const outcome ran = m.run();
        const bool right = words.own.head.error == static_cast<std::uint8_t>(errc::timeout) &&
                           words.failure.call == 7 && words.failure_mirror.code == 0;
        return fits && ran.ok() && right ? "" : "not told\n" + ran.text;
    });
}

TEST(PlaceRows, PutsEveryRowInItsPlaceAndTouchesNothingElse)
{
    expect_right(60 / fewer, [](const schedule& how) -> std::string {
        constexpr int row_words = 37;
        const int rows = 1 + static_cast<int>(how.seed % 6);
        std::vector<std::uint32_t> from(static_cast<std::size_t>(rows * row_words));
        std::iota(from.begin(), from.end(), 0U);
        std::vector<std::uint32_t> to(static_cast<std::size_t>(rows * row_words + 1), 999999U);
        std::vector<std::int32_t> places;
        for (int r = 0; r < rows; ++r) {
            places.push_back((r + static_cast<int>(how.seed % 10)) % rows);
        }
        machine m(how);
        const bool fits = m.launch<place_rows_kernel>(
            {.blocks = rows, .threads = place_rows_kernel::threads},
            {.from = from.data(), .to = to.data(), .place_of = places.data(), .row_words = row_words});
        const outcome ran = m.run();
        bool right = to.back() == 999999U;
        for (int r = 0; r < rows; ++r) {
            for (int w = 0; w < row_words; ++w) {
                const int at = places[static_cast<std::size_t>(r)] * row_words + w;
                right = right &&
                        to[static_cast<std::size_t>(at)] == static_cast<std::uint32_t>(r * row_words + w);
            }
        }
        return fits && ran.ok() && right ? "" : "wrong rows\n" + ran.text;
    });
}

} // namespace
} // namespace rankfold::simt
