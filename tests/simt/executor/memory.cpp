// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory.hpp"

#include <algorithm>
#include <cstring>

namespace rankfold::simt::executor {
namespace {

std::uint64_t peek(std::uintptr_t address, int bytes)
{
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(address), static_cast<std::size_t>(bytes));
    return value;
}

/// The narrowest scope that holds both: an index into arrays by distance.
int distance(accessor a, accessor b)
{
    return a.block == b.block ? 0 : a.gpu == b.gpu ? 1 : 2;
}

constexpr accessor host{-1, -1};

} // namespace

void view::raise(std::uint32_t word, std::uint32_t to)
{
    if (word >= oldest_.size()) {
        oldest_.resize(word + 1);
    }
    oldest_[word] = std::max(oldest_[word], to);
}

void view::join(const view& other)
{
    if (other.oldest_.size() > oldest_.size()) {
        oldest_.resize(other.oldest_.size());
    }
    for (std::size_t i = 0; i < other.oldest_.size(); ++i) {
        oldest_[i] = std::max(oldest_[i], other.oldest_[i]);
    }
}

void thread_memory::join(const view& other)
{
    current.join(other);
    snapshot.reset();
}

const shared_view& thread_memory::release()
{
    if (!snapshot) {
        snapshot = std::make_shared<const view>(current);
    }
    return snapshot;
}

memory::memory(random_source& random, std::uint32_t staleness) : random_(random), staleness_(staleness) {}

std::uint64_t memory::load(thread_memory& thread, accessor who, const void* p, int bytes, order o, scope s)
{
    const std::uint32_t index = find(p, bytes);
    const std::uint32_t at = choose(thread.current, index);
    check_reach(words_[index].history[at], who, s, words_[index]);
    read(thread, who, index, at, o, s);
    return words_[index].history[at].value;
}

void memory::store(thread_memory& thread, accessor who, void* p, int bytes, std::uint64_t value, order o,
                   scope s)
{
    append(thread, who, find(p, bytes), value, o, s, false);
}

std::uint64_t after(rmw operation, int bytes, std::uint64_t old, std::uint64_t operand, std::uint64_t desired)
{
    switch (operation) {
    case rmw::add:
        return bytes == 4 ? static_cast<std::uint32_t>(old + operand) : old + operand;
    case rmw::raise:
        return old < operand ? operand : old;
    case rmw::increment:
        return old >= operand ? 0 : old + 1;
    case rmw::set_bits:
        return old | operand;
    case rmw::compare_exchange:
        return old == operand ? desired : old;
    }
    return old;
}

std::uint64_t memory::exchange(thread_memory& thread, accessor who, rmw operation, void* p, int bytes,
                               std::uint64_t operand, std::uint64_t desired)
{
    const std::uint32_t index = find(p, bytes);
    const std::uint32_t at = static_cast<std::uint32_t>(words_[index].history.size()) - 1;
    const std::uint64_t old = words_[index].history[at].value;
    check_reach(words_[index].history[at], who, scope::device, words_[index]);
    read(thread, who, index, at, order::relaxed, scope::device);
    if (operation != rmw::compare_exchange || old == operand) {
        append(thread, who, index, after(operation, bytes, old, operand, desired), order::relaxed,
               scope::device, true);
    }
    return old;
}

void memory::fence(thread_memory& thread, scope s)
{
    for (int d = 0; d <= static_cast<int>(s); ++d) {
        thread.join(thread.pending[static_cast<std::size_t>(d)]);
        thread.pending[static_cast<std::size_t>(d)].clear();
    }
    for (int d = 0; d <= static_cast<int>(s); ++d) {
        thread.released[static_cast<std::size_t>(d)] = thread.release();
    }
}

void memory::flush()
{
    for (word& w : words_) {
        const std::uint64_t newest = w.history.back().value;
        if (newest != w.backing) {
            std::memcpy(reinterpret_cast<void*>(w.address), &newest, static_cast<std::size_t>(w.bytes));
            w.backing = newest;
        }
    }
}

void memory::reset()
{
    words_.clear();
    index_.clear();
}

void memory::accept_plain_stores()
{
    for (word& w : words_) {
        const std::uint64_t now = peek(w.address, w.bytes);
        if (now != w.backing) {
            w.backing = now;
            w.history.push_back({now, host, scope::system, {}});
        }
    }
}

std::uint32_t memory::find(const void* p, int bytes)
{
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    const auto [place, is_new] = index_.try_emplace(address, static_cast<std::uint32_t>(words_.size()));
    if (is_new) {
        const std::uint64_t now = peek(address, bytes);
        words_.push_back({address, bytes, now, {{now, host, scope::system, {}}}});
        const auto half = bytes == 4 ? index_.find(address - 4) : index_.find(address + 4);
        if (address % static_cast<unsigned>(bytes) != 0) {
            complain(words_.back(), "is not aligned");
        } else if (half != index_.end() && words_[half->second].bytes + bytes == 12) {
            complain(words_.back(), "is accessed as 4 and as 8 bytes");
        }
        return place->second;
    }
    word& w = words_[place->second];
    if (w.bytes != bytes) {
        complain(w, "is accessed as 4 and as 8 bytes");
    } else if (peek(address, bytes) != w.backing) {
        complain(w, "was stored plainly by a kernel that also accesses it through the primitives");
    }
    return place->second;
}

std::uint32_t memory::choose(const view& from, std::uint32_t index)
{
    const auto last = static_cast<std::uint32_t>(words_[index].history.size()) - 1;
    const std::uint32_t oldest = from[index];
    if (newest_ || oldest == last || !random_.chance(staleness_)) {
        return last;
    }
    return oldest + random_.below(last - oldest + 1);
}

void memory::read(thread_memory& thread, accessor who, std::uint32_t index, std::uint32_t at, order o,
                  scope s)
{
    const message& m = words_[index].history[at];
    if (thread.current[index] < at) {
        thread.current.raise(index, at);
        thread.snapshot.reset();
    }
    const int d = distance(who, m.writer);
    const shared_view& carried = m.carried[static_cast<std::size_t>(d)];
    if (!carried) {
        return;
    }
    if (o == order::ordered && d <= static_cast<int>(s)) {
        thread.join(*carried);
    } else {
        thread.pending[static_cast<std::size_t>(d)].join(*carried);
    }
}

void memory::append(thread_memory& thread, accessor who, std::uint32_t index, std::uint64_t value, order o,
                    scope s, bool continues)
{
    std::vector<message>& history = words_[index].history;
    thread.current.raise(index, static_cast<std::uint32_t>(history.size()));
    thread.snapshot.reset();
    message m{value, who, s, thread.released};
    for (int d = 0; d < scopes; ++d) {
        shared_view& carried = m.carried[static_cast<std::size_t>(d)];
        if (o == order::ordered && d <= static_cast<int>(s)) {
            carried = thread.release();
        }
        if (const shared_view& before = history.back().carried[static_cast<std::size_t>(d)];
            continues && before) {
            view both = *before;
            if (carried) {
                both.join(*carried);
            }
            carried = std::make_shared<const view>(std::move(both));
        }
    }
    history.push_back(std::move(m));
}

void memory::check_reach(const message& m, accessor who, scope s, const word& w)
{
    if (m.writer.gpu >= 0 && m.writer.gpu != who.gpu && (m.reach != scope::system || s != scope::system)) {
        complain(w, "is shared between GPUs, but not accessed with system scope");
    } else if (m.writer.block >= 0 && m.writer.block != who.block &&
               (m.reach == scope::block || s == scope::block)) {
        complain(w, "is shared between blocks, but accessed with block scope");
    }
}

void memory::complain(const word& w, const std::string& text)
{
    if (complaint_.empty()) {
        complaint_ =
            "the " + std::to_string(w.bytes) + "-byte word at " + std::to_string(w.address) + " " + text;
    }
}

} // namespace rankfold::simt::executor
