// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a thread waits for stamped values that other blocks leave.
#pragma once

#include "rankfold/device/failure.cuh"
#include "rankfold/device/value.cuh"

namespace rankfold::device {

/// Waits until Count values are there. All of them are asked for before any is looked at, so that their
/// latencies overlap. False if `give_up`, asked rarely, was true before.
/// @param wanted  whether value i is
/// @param view    of value i
/// @param words   of value i; an address even where it is not wanted: of one chosen to be null ptxas 13.0
///                makes a comparison that reads the registers too early, and loads from it
template <int Count, class Wanted, class View, class Words, class GiveUp>
RANKFOLD_DEVICE bool await_stamped(std::uint32_t epoch, Wanted wanted, View view, Words words, GiveUp give_up)
{
    const auto look = [&](bool again) {
        bool complete = true;
        RANKFOLD_UNROLL
        for (int i = 0; i < Count; ++i) {
            if (wanted(i) && !(again && view(i).complete(epoch))) {
                view(i).look(words(i));
                complete = false;
            }
        }
        return complete;
    };
    look(false);
    return simt::spin_until([&] { return look(true); }, give_up);
}

} // namespace rankfold::device
