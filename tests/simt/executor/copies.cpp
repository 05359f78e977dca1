// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// mbarriers and the copies that complete on them. A waiter names a parity only, as on the machine; what it
// means is remembered, so that one who is two phases off is told.
#include "state.hpp"

#include <cstring>

namespace rankfold::simt::executor {
namespace {

constexpr std::uint64_t initialised = 0x6d62617272000000ull; // then the number of the mbarrier in its block

} // namespace

mbarrier_state& machine::state::find_mbarrier(const std::uint64_t* word)
{
    const std::uint64_t number = *word - initialised;
    if (number >= running->home->mbarriers.size()) {
        fail(fault::mbarrier, "an mbarrier is used before it is initialised, or was overwritten");
        stop();
    }
    return running->home->mbarriers[number];
}

// Completes the phase where nothing is missing.
void machine::state::settle(mbarrier_state& m)
{
    changed();
    if (m.missing == 0 && m.bytes == 0) {
        ++m.phase;
        m.missing = m.arrivals;
        m.completed.join(m.arriving);
    }
}

// Any part of any copy may be next.
void machine::state::complete_copy()
{
    const std::size_t chosen = random.below(static_cast<std::uint32_t>(copies.size()));
    const copy_part part = copies[chosen];
    copies[chosen] = copies.back();
    copies.pop_back();
    std::memcpy(part.to, part.from, part.bytes);
    --part.home->copies;
    mbarrier_state& m = part.home->mbarriers[part.mbarrier];
    m.bytes -= part.bytes;
    settle(m);
}

void mbarrier_init(std::uint64_t* state, std::uint32_t arrivals, site where)
{
    machine::state& s = current();
    const thread& t = s.enter("mbarrier init", where);
    *state = initialised + t.home->mbarriers.size();
    t.home->mbarriers.push_back({.arrivals = arrivals, .missing = arrivals, .arriving = {}, .completed = {}});
}

void mbarrier_arrive(std::uint64_t* state, std::uint32_t expected_bytes, site where)
{
    machine::state& s = current();
    thread& t = s.enter(expected_bytes != 0 ? "mbarrier arrive_expect" : "mbarrier arrive", where);
    mbarrier_state& m = s.find_mbarrier(state);
    if (m.missing == 0) {
        s.fail(fault::mbarrier,
               "more than " + std::to_string(m.arrivals) + " arrivals in one phase of an mbarrier");
        s.stop();
    }
    m.arriving.join(t.memory.current);
    m.bytes += expected_bytes;
    --m.missing;
    s.settle(m);
}

bool mbarrier_try_wait(std::uint64_t* state, std::uint32_t parity, site where)
{
    machine::state& s = current();
    thread& t = s.enter("mbarrier try_wait", where);
    const mbarrier_state& m = s.find_mbarrier(state);
    thread::wait_record& record = t.waits[static_cast<std::uint32_t>(*state - initialised)];
    if (record.polling && m.phase > record.target + 1) {
        s.fail(fault::mbarrier,
               "the phase waited for completed, and the next one too, before the waiter looked");
        s.stop();
    }
    if ((m.phase & 1) == (parity & 1)) {
        record.target = m.phase;
        record.polling = true;
        return false;
    }
    if (!record.polling && record.seen == m.phase) {
        s.fail(fault::mbarrier,
               "a wait passes by a phase that the same thread has waited for before: two phases off");
        s.stop();
    }
    record.polling = false;
    record.seen = m.phase;
    t.memory.join(m.completed);
    return true;
}

void bulk_load(void* shared, const void* global, std::uint32_t bytes, std::uint64_t* done, site where)
{
    machine::state& s = current();
    thread& t = s.enter("bulk_load", where);
    s.find_mbarrier(done);
    auto* to = static_cast<std::byte*>(shared);
    const auto* begin = static_cast<std::byte*>(t.home->storage);
    if (bytes % 16 != 0 || reinterpret_cast<std::uintptr_t>(shared) % 16 != 0 ||
        reinterpret_cast<std::uintptr_t>(global) % 16 != 0) {
        s.fail(fault::copy,
               "a bulk copy of " + std::to_string(bytes) + " bytes: ends and length must be multiples of 16");
        s.stop();
    }
    if (to < begin || to + bytes > begin + t.home->kernel->what.storage_bytes) {
        s.fail(fault::copy, "a bulk copy to outside the shared memory of the block");
        s.stop();
    }
    std::memset(shared, 0xa5, bytes); // nothing may be read before all is there
    const std::uint32_t part_bytes = (bytes / 16 + 3) / 4 * 16;
    for (std::uint32_t at = 0; at < bytes; at += part_bytes) {
        const std::uint32_t length = bytes - at < part_bytes ? bytes - at : part_bytes;
        s.copies.push_back({t.home, to + at, static_cast<const std::byte*>(global) + at, length,
                            static_cast<std::uint32_t>(*done - initialised)});
        ++t.home->copies;
    }
}

} // namespace rankfold::simt::executor
