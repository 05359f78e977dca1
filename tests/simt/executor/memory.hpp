// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Weak memory, as a machine of views. Every word has the history of its stores; every thread has a view: for
// each word the oldest store that it may still read. A relaxed load reads any store from there on. Release,
// acquire and fences move views from thread to thread, through the stores that carry them, and only as far as
// their scope reaches. So what no ordering forbids does happen here: a flag seen before the data, and words
// seen in different orders.
//
// Memory itself changes when the kernel ends: a plain load of a word that this launch stores finds the old
// value. Source: Kang et al., A promising semantics for relaxed-memory concurrency, 2017 (without promises);
// Lustig et al., A formal analysis of the NVIDIA PTX memory consistency model, 2019 (scopes).
#pragma once

#include "random.hpp"
#include "rankfold_simt_executor.hpp"

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace rankfold::simt::executor {

/// For each word the index of the oldest store in its history that may be read.
class view {
public:
    [[nodiscard]] std::uint32_t operator[](std::uint32_t word) const
    {
        return word < oldest_.size() ? oldest_[word] : 0;
    }
    void raise(std::uint32_t word, std::uint32_t to);
    void join(const view& other);
    void clear() { oldest_.clear(); }

private:
    std::vector<std::uint32_t> oldest_;
};

using shared_view = std::shared_ptr<const view>;

inline constexpr int scopes = 3;

/// Who accesses.
struct accessor {
    int block; ///< unique over all launches
    int gpu;
};

/// What an atomic operation leaves of a word.
std::uint64_t after(rmw operation, int bytes, std::uint64_t old, std::uint64_t operand,
                    std::uint64_t desired);

/// The part of memory order that belongs to a thread.
struct thread_memory {
    view current;
    std::array<shared_view, scopes>
        released;                     ///< what relaxed stores carry to a reader that far away, by fences
    std::array<view, scopes> pending; ///< what relaxed loads brought; an acquiring fence makes it current
    shared_view snapshot;             ///< of `current`, while it has not changed

    void join(const view& other);
    /// What a release by this thread carries.
    const shared_view& release();
};

class memory {
public:
    /// @param staleness  how often, of 256, an old store is read where one may be
    memory(random_source& random, std::uint32_t staleness);

    std::uint64_t load(thread_memory& thread, accessor who, const void* p, int bytes, order o, scope s);
    void store(thread_memory& thread, accessor who, void* p, int bytes, std::uint64_t value, order o,
               scope s);
    /// Relaxed, device scope.
    std::uint64_t exchange(thread_memory& thread, accessor who, rmw operation, void* p, int bytes,
                           std::uint64_t operand, std::uint64_t desired);
    /// Acquire and release; a store before it and a load after it are not ordered.
    void fence(thread_memory& thread, scope s);

    /// From now on loads find the newest store: what happens to anybody who asks often enough.
    void read_newest(bool on) { newest_ = on; }
    /// Brings memory up to date: a kernel has ended.
    void flush();
    /// Forgets all histories: nothing is running.
    void reset();
    /// What the host or a plain store did to memory between kernels becomes known.
    void accept_plain_stores();

    /// The last rule broken, or empty.
    [[nodiscard]] const std::string& complaint() const { return complaint_; }

private:
    struct message {
        std::uint64_t value;
        accessor writer;
        scope reach;
        std::array<shared_view, scopes> carried; ///< by the distance of the reader
    };
    struct word {
        std::uintptr_t address;
        int bytes;
        std::uint64_t backing; ///< what memory held when last looked at
        std::vector<message> history;
    };

    std::uint32_t find(const void* p, int bytes);
    std::uint32_t choose(const view& from, std::uint32_t index);
    void read(thread_memory& thread, accessor who, std::uint32_t index, std::uint32_t at, order o, scope s);
    void append(thread_memory& thread, accessor who, std::uint32_t index, std::uint64_t value, order o,
                scope s, bool continues);
    void check_reach(const message& m, accessor who, scope s, const word& w);
    void complain(const word& w, const std::string& text);

    random_source& random_;
    std::uint32_t staleness_;
    bool newest_ = false;
    std::vector<word> words_;
    std::unordered_map<std::uintptr_t, std::uint32_t> index_;
    std::string complaint_;
};

} // namespace rankfold::simt::executor
