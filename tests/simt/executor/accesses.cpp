// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The primitives that touch memory. Words in the shared memory of the block itself are plain: barriers order
// them.
#include "state.hpp"

#include <cstring>

namespace rankfold::simt::executor {
namespace {

bool in_shared_memory(const thread& t, const void* p)
{
    const auto* begin = static_cast<const std::byte*>(t.home->storage);
    return p >= begin && p < begin + t.home->kernel->what.storage_bytes;
}

void check_words(machine::state& s)
{
    if (!s.words.complaint().empty()) {
        s.fail(fault::memory, s.words.complaint());
        s.stop();
    }
}

} // namespace

void require_aligned(const void* p, int bytes, site where)
{
    machine::state& s = current();
    if (reinterpret_cast<std::uintptr_t>(p) % static_cast<std::uintptr_t>(bytes) != 0) {
        s.enter("an access of several words", where);
        s.fail(fault::memory, "an access of " + std::to_string(bytes) + " bytes is not aligned");
        s.stop();
    }
}

std::uint64_t load_word(const void* p, int bytes, order o, scope sc, site where)
{
    machine::state& s = current();
    thread& t = s.enter(o == order::ordered ? "load_acquire" : "load_relaxed", where);
    if (in_shared_memory(t, p)) {
        std::uint64_t value = 0;
        std::memcpy(&value, p, static_cast<std::size_t>(bytes));
        return value;
    }
    const std::uint64_t value = s.words.load(t.memory, s.who(), p, bytes, o, sc);
    check_words(s);
    return value;
}

void store_word(void* p, int bytes, std::uint64_t value, order o, scope sc, site where)
{
    machine::state& s = current();
    thread& t = s.enter(o == order::ordered ? "store_release" : "store_relaxed", where);
    if (in_shared_memory(t, p)) {
        std::memcpy(p, &value, static_cast<std::size_t>(bytes));
    } else {
        s.words.store(t.memory, s.who(), p, bytes, value, o, sc);
        check_words(s);
    }
    s.changed();
}

void fence(scope sc, site where)
{
    machine::state& s = current();
    thread& t = s.enter("fence", where);
    s.words.fence(t.memory, sc);
}

std::uint64_t atomic(rmw operation, void* p, int bytes, std::uint64_t operand, std::uint64_t desired,
                     site where)
{
    machine::state& s = current();
    thread& t = s.enter("atomic", where);
    s.changed();
    if (in_shared_memory(t, p)) {
        std::uint64_t old = 0;
        std::memcpy(&old, p, static_cast<std::size_t>(bytes));
        const std::uint64_t now = after(operation, bytes, old, operand, desired);
        std::memcpy(p, &now, static_cast<std::size_t>(bytes));
        return old;
    }
    const std::uint64_t old = s.words.exchange(t.memory, s.who(), operation, p, bytes, operand, desired);
    check_words(s);
    return old;
}

// Sixteen plain bytes are no single-copy atomic: others may run between the halves, in either order.
void move_plain(void* to, const void* from, std::size_t bytes, site where)
{
    machine::state& s = current();
    s.enter("plain access", where);
    if (reinterpret_cast<std::uintptr_t>(to) % bytes != 0 ||
        reinterpret_cast<std::uintptr_t>(from) % bytes != 0) {
        s.fail(fault::memory, "a plain access of " + std::to_string(bytes) + " bytes is not aligned");
        s.stop();
    }
    if (bytes < 16) {
        std::memcpy(to, from, bytes);
        return;
    }
    const int first = s.random.chance(128) ? 0 : 8;
    std::memcpy(static_cast<std::byte*>(to) + first, static_cast<const std::byte*>(from) + first, 8);
    if (s.random.chance(s.how.switch_weight / 4)) {
        s.yield();
    }
    std::memcpy(static_cast<std::byte*>(to) + 8 - first, static_cast<const std::byte*>(from) + 8 - first, 8);
}

} // namespace rankfold::simt::executor
