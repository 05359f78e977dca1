// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who runs next, and how a hang is noticed.
#include "state.hpp"

#include <algorithm>

namespace rankfold::simt::executor {
namespace {

void put(std::vector<thread*>& list, thread& t, int thread::*slot)
{
    t.*slot = static_cast<int>(list.size());
    list.push_back(&t);
}

void take(std::vector<thread*>& list, thread& t, int thread::*slot)
{
    list[static_cast<std::size_t>(t.*slot)] = list.back();
    list.back()->*slot = t.*slot;
    list.pop_back();
    t.*slot = -1;
}

} // namespace

void machine::state::make_ready(thread& t)
{
    put(ready, t, &thread::ready_slot);
    put(t.home->ready, t, &thread::home_slot);
}

void machine::state::make_waiting(thread& t)
{
    take(ready, t, &thread::ready_slot);
    take(t.home->ready, t, &thread::home_slot);
}

// Nobody has done anything but poll for a while: loads no longer find old values, copies complete, clocks
// leap forward. If that helps nobody, nothing will.
void machine::state::quiet()
{
    const std::uint64_t patience = 2 * live + 16;
    const std::uint64_t rounds = idle / patience;
    words.read_newest(rounds >= 1);
    if (ready.empty() && copies.empty()) {
        fail(fault::hang, "every thread waits in a barrier or exchange");
    } else if (rounds >= 1 && !copies.empty()) {
        complete_copy();
    } else if (rounds >= 2 && idle % patience == 0) {
        now_ns += std::uint64_t{1000} << std::min<std::uint64_t>(rounds, 32);
    }
    if (rounds > 192) { // a wait may go through a hundred exchanges of its warp
        fail(fault::hang, "every thread waits for a word that nobody will write");
    } else if (busy_steps > how.step_budget) {
        fail(fault::hang, "the step budget is spent");
    }
}

thread* machine::state::pick()
{
    quiet();
    if (ready.empty() || !result.ok()) {
        return nullptr;
    }
    ++turn;
    const auto count = static_cast<std::uint32_t>(ready.size());
    if (how.mode == fairness::fair) {
        return ready[turn % count];
    }
    thread* const any = ready[random.below(count)];
    thread* const chosen = how.mode == fairness::random ? nullptr : pick_by_block();
    return chosen != nullptr ? chosen : any;
}

// newest_first: of the block that started last; starved_block: of any but that one. Blocks that only poll are
// passed over.
thread* machine::state::pick_by_block()
{
    const auto count = static_cast<std::uint32_t>(blocks.size());
    const std::uint32_t first = how.mode == fairness::newest_first ? 0 : random.below(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const block_state& b = *blocks[count - 1 - (first + i) % count];
        if (how.mode == fairness::starved_block && b.index == starved) {
            continue;
        }
        if (thread* const t = busy_thread(b); t != nullptr) {
            return t;
        }
    }
    return nullptr;
}

// A thread that is not known to wait for something that has not changed. A few are asked.
thread* machine::state::busy_thread(const block_state& b)
{
    const auto count = static_cast<std::uint32_t>(b.ready.size());
    const std::uint32_t first = count == 0 ? 0 : random.below(count);
    for (std::uint32_t i = 0; i < count && i < 8; ++i) {
        thread* const t = b.ready[(first + i) % count];
        if (!t->spinning || t->polled_at != changes) {
            return t;
        }
    }
    return nullptr;
}

} // namespace rankfold::simt::executor
