// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Folds over the lanes of a warp, on intervals: those who read them in another order find poison.
#include "../interval.hpp"
#include "../schedules.hpp"

#include "rankfold/device/warp.cuh"

#include <gtest/gtest.h>

#include <vector>

namespace rankfold::simt {
namespace {

using namespace executor;

/// Every lane has Count values. Value v of lane l is the interval number v * warp_size + l.
template <int Count>
struct fold_many {
    static constexpr int threads = warp_size;
    struct arguments {
        interval* folds; ///< of each lane
    };
    struct storage {};

    static void run(block& self, const arguments& args, storage& /*shared*/)
    {
        const interval_algebra algebra;
        device::uninitialised<interval> values[Count];
        for (int v = 0; v < Count; ++v) {
            values[v].value = algebra.lift(v * warp_size + self.lane(), 0);
        }
        args.folds[self.lane()] = device::warp_fold_many<Count>(self, algebra, values);
    }
};

template <int Count>
std::string fold_many_trial(const schedule& how)
{
    std::vector<interval> folds(warp_size, poison);
    machine m(how);
    if (!m.launch<fold_many<Count>>({.blocks = 1, .threads = warp_size}, {folds.data()})) {
        return "refused\n";
    }

    const outcome ran = m.run();

    for (int l = 0; l < warp_size && ran.ok(); ++l) {
        const int first = l % Count * warp_size;
        if (!(folds[static_cast<std::size_t>(l)] == interval{first, first + warp_size})) {
            return "lane " + std::to_string(l) + " of a fold of " + std::to_string(Count) + " is wrong\n";
        }
    }
    return ran.text;
}

TEST(Warp, FoldsManyValuesInLaneOrder)
{
    expect_right(200 / fewer, fold_many_trial<1>);
    expect_right(200 / fewer, fold_many_trial<2>);
    expect_right(200 / fewer, fold_many_trial<4>);
    expect_right(200 / fewer, fold_many_trial<warp_size>);
}

} // namespace
} // namespace rankfold::simt
